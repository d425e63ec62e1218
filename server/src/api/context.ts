import type { Context as AuthorizationContext } from '../authorization/context.ts'
import { type CommandWaits, createCommandWaits } from '../devices/commands/command-waits.ts'
import type { Context as DevicesContext } from '../devices/context.ts'
import type { StreamContext } from './organization/device-stream.ts'
import { createStreamCredentials } from './organization/stream-credentials.ts'

/** The APIs call the verbs of every area. */
export interface Context extends AuthorizationContext, StreamContext {
  commandWaits: CommandWaits
}

export function createContext(areas: AuthorizationContext & DevicesContext): Context {
  return {
    ...areas,
    deviceStreams: new Map(),
    streamCredentials: createStreamCredentials(areas),
    commandWaits: createCommandWaits(areas),
  }
}
