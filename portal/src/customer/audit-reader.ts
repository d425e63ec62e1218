import { useParams } from 'react-router'
import type { Names, Reader } from '../components/audit/audit-sentences.ts'

/** How an administrator of this organization reads events. */
export function useCustomerReader(): (names: Names) => Reader {
  const { customerId } = useParams()
  const at = (path: string) => `/customer/${customerId}${path}`
  const pages = { application: '/settings/connected-apps', group: '/groups', user: '/users' }
  return (names) => ({
    names: { ...names, [customerId ?? '']: 'this organization' },
    auditLog: at('/settings/audit-log'),
    people: true,
    pageOf: (thing, id) => {
      // Without a name it is not here any more: a removed device has no page.
      if (names[id] === undefined) return undefined
      if (thing === 'device') return at(`/devices/${id}`)
      if (thing === 'space') return at(`/spaces/${id}`)
      return thing in pages ? at(pages[thing as keyof typeof pages]) : undefined
    },
  })
}
