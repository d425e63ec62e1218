import { Type } from 'typebox'
import { isApprovedAnywhere } from '../../../authorization/consent/connected-apps.ts'
import { getDeviceProgress } from '../../../devices/registry/partner-progress.ts'
import { listApplicationsOfPartner } from '../../../directory/partners/applications.ts'
import { listPartnerMembers } from '../../../directory/partners/partner-members.ts'
import { listWebhooks } from '../../../events/webhooks/endpoints.ts'
import type { App } from '../../../platform/http/app.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const Progress = Type.Object(
  {
    application_registered: Type.Boolean({ description: 'Whether the operator has registered an application.' }),
    application_approved: Type.Boolean({ description: 'Whether a customer has approved one of the applications.' }),
    model_added: Type.Boolean({ description: 'Whether there is a model.' }),
    device_registered: Type.Boolean({ description: 'Whether a device has registered and was not removed.' }),
    telemetry_received: Type.Boolean({ description: 'Whether such a device has sent telemetry.' }),
    device_claimed: Type.Boolean({ description: 'Whether a customer, such as the lab tenant, has claimed a device.' }),
    webhook_added: Type.Boolean({ description: 'Whether there is a webhook.' }),
    colleague_joined: Type.Boolean({ description: 'Whether the partner has more than one member.' }),
  },
  { title: 'PartnerProgress', description: 'Which steps of an integration are done, from what there is.' },
)

export function progressRoutes(app: App, context: Context): void {
  app.get(
    '/progress',
    tagged('Partner: info')({
      reads: 'bounded',
      summary: 'Get how far the integration is',
      description: 'Each step is true when the service sees that it is done, whoever did it.',
      response: { 200: Progress },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const [applications, application_approved, devices, webhooks, members] = await Promise.all([
        listApplicationsOfPartner(context, partner_id, { limit: 1 }),
        isApprovedAnywhere(context, partner_id),
        getDeviceProgress(context, partner_id),
        listWebhooks(context, partner_id, { limit: 1 }),
        listPartnerMembers(context, partner_id, { limit: 2 }),
      ])
      return {
        application_registered: applications.items.length > 0,
        application_approved,
        ...devices,
        webhook_added: webhooks.items.length > 0,
        colleague_joined: members.items.length > 1,
      }
    },
  )
}
