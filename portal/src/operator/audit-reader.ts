import type { Names, Reader } from '../components/audit/audit-sentences.ts'

const pages = { application: 'applications', customer: 'customers', partner: 'partners', user: 'people' }

export function operatorReader(names: Names): Reader {
  return {
    names,
    auditLog: '/operator/audit-log',
    pageOf: (thing, id) =>
      thing in pages && names[id] !== undefined ? `/operator/${pages[thing as keyof typeof pages]}/${id}` : undefined,
  }
}
