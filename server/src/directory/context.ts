import type { Context as EventsContext } from '../events/context.ts'
import { createOpenSessionLookUp, type OpenSessionLookUp } from './accounts/sessions.ts'
import { type ApiKeyLookUp, createApiKeyLookUp } from './api-key-look-up.ts'
import { createMembersPageReader, type MembersPageReader } from './organization/members.ts'

/** With work that concurrent requests of this process share: decision 9.1. */
export interface Context extends EventsContext, ApiKeyLookUp, OpenSessionLookUp, MembersPageReader {}

export function createContext(events: EventsContext): Context {
  return {
    ...events,
    findApiKey: createApiKeyLookUp(events),
    findOpenSession: createOpenSessionLookUp(events),
    readMembersPage: createMembersPageReader(events),
  }
}
