import { usePages } from '../api/api.tsx'
import type { Application, Customer, Partner } from '../api/operator.ts'
import type { Reader } from '../components/audit-sentences.ts'

/** Names are of the first hundred of each; beyond them a link still leads to the thing. */
export function useOperatorReader(): Reader {
  const partners = usePages<Partner>('/partners')
  const customers = usePages<Customer>('/customers')
  const applications = usePages<Application>('/applications')
  return {
    names: new Map([
      ...[...partners.items, ...customers.items].map(({ id, name }) => [id, name] as const),
      ...applications.items.map(({ client_id, name }) => [client_id, name] as const),
    ]),
    actors: new Map(),
    auditLog: '/operator/audit-log',
    pageOf: (thing, id) => {
      if (thing === 'application') return `/operator/applications/${id}`
      if (thing === 'partner') return `/operator/partners/${id}`
      return undefined
    },
  }
}
