import type { BaseContext } from '../platform/context.ts'
import { countApiKeys } from './store/api-keys-sql.ts'
import { countRequests } from './store/application-requests-sql.ts'
import { countApplications } from './store/applications-sql.ts'
import { countGroups } from './store/groups-sql.ts'
import { countPeople } from './store/links-sql.ts'
import { countSpaces } from './store/spaces-sql.ts'

/** How many there are of what has a quota. */
export async function countDirectoryThings(
  { sql, now }: BaseContext,
  tenant: { customer_id: string } | { partner_id: string },
) {
  const [api_keys, people] = await Promise.all([countApiKeys(sql, tenant, now()), countPeople(sql, tenant, now())])
  if ('partner_id' in tenant) {
    const { partner_id } = tenant
    const [applications, application_requests] = await Promise.all([
      countApplications(sql, partner_id),
      countRequests(sql, partner_id),
    ])
    return { api_keys, members: people, applications, application_requests }
  }
  const { customer_id } = tenant
  const [groups, spaces] = await Promise.all([countGroups(sql, customer_id), countSpaces(sql, customer_id)])
  return { api_keys, users: people, groups, spaces }
}
