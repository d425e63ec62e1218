import { Type } from 'typebox'
import { countDevicesByStatus } from '../../../devices/registry/device-lists.ts'
import { DeviceCounts } from '../../../devices/registry/responses.ts'
import { describeOrganization } from '../../../directory/organization/customers.ts'
import { whereTo } from '../../../directory/permissions.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, Instant } from '../../../platform/http/schemas.ts'
import { listLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'

const Counts = Type.Object(
  {
    users: Type.Integer(),
    groups: Type.Integer(),
    spaces: Type.Integer(),
    devices: Type.Integer({ description: `Counted up to ${listLimits.countedDevices} in each status.` }),
    devices_by_status: DeviceCounts,
  },
  { title: 'OrganizationCounts', description: 'How much there is of everything.' },
)
const Info = Type.Object(
  {
    id: Id,
    name: Type.String(),
    lab: Type.Boolean({ description: "A partner's tenant for tests." }),
    created_at: Instant,
    counts: Counts,
  },
  { title: 'Organization', description: 'The organization itself.' },
)

export function infoRoutes(app: App, context: Context): void {
  app.get(
    '/info',
    tagged('Organization: info')({
      permission: 'none',
      reads: 'bounded',
      summary: 'Get this organization',
      description:
        'The organization that the caller acts for, with the number of its users and groups, and of the spaces and devices that the caller may see.',
      response: { 200: Info },
    }),
    async (request) => {
      const { customer_id, reach } = callerOf(request)
      // What the caller does not see is not counted either.
      const owner = { customer_id, within: whereTo(reach, 'devices: read') }
      const [info, byStatus] = await Promise.all([
        describeOrganization(context, { customer_id, within: whereTo(reach, 'spaces: read') }),
        countDevicesByStatus(context, owner),
      ])
      const devices = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
      return { ...info, counts: { ...info.counts, devices, devices_by_status: byStatus } }
    },
  )
}
