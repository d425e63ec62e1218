import type { ResponseOf } from './operations.ts'

const storageKey = 'landbridge.workspace'

/** The next visit starts where the last one was. */
export function rememberWorkspace(path: string): void {
  localStorage.setItem(storageKey, path)
}

/** Where `/` leads: to the last workspace if it is still one of theirs, else to the first. */
export function homeOf(session: ResponseOf<'GET /core/v1/session'>): string | null {
  const workspaces = [
    ...session.customers.map(({ id }) => `/customer/${id}`),
    ...session.partners.map(({ id }) => `/partner/${id}`),
  ]
  const last = localStorage.getItem(storageKey)
  if (last && workspaces.includes(last)) return last
  // A partner's engineer wants the partner portal rather than the test tenant.
  const customer = session.customers.find(({ lab }) => !lab)
  if (customer) return `/customer/${customer.id}`
  const partner = session.partners[0]
  return partner ? `/partner/${partner.id}` : (workspaces[0] ?? null)
}
