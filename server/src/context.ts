import { type Context, createContext as createApiContext } from './api/context.ts'
import { createContext as createAuthorizationContext } from './authorization/context.ts'
import { createContext as createDevicesContext } from './devices/context.ts'
import { cellChannel, processChannel } from './devices/live/topics.ts'
import { findModelsOf } from './devices/registry/models.ts'
import { createContext as createDirectoryContext } from './directory/context.ts'
import { findPartnersOfApplications } from './directory/partners/applications.ts'
import { createContext as createEventsContext } from './events/context.ts'
import { type ContextOptions, createBaseContext } from './platform/context.ts'
import { newId } from './platform/secrets/identifiers.ts'

/** Puts the contexts of the areas together. Only those who build or test the whole service import this file. */
export function createContext(options: ContextOptions): Context {
  const processId = newId()
  const channels = [cellChannel(options.config.cell), processChannel(processId)]
  const base = createBaseContext(options, { processId, channels })
  const owners = { applications: findPartnersOfApplications, models: findModelsOf }
  const directory = createDirectoryContext(createEventsContext(base, owners))
  return createApiContext({ ...createAuthorizationContext(directory), ...createDevicesContext(directory) })
}

export type { Context }
