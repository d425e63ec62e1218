import { requireDeclaredQuotas } from '../../../platform/declared-quotas.ts'
import { requireDeclaredReads } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { documentRefusals } from '../../../platform/http/document-refusals.ts'
import { sendEtags } from '../../../platform/http/etag.ts'
import { acceptIdempotencyKeys } from '../../../platform/http/idempotency.ts'
import { refuseUnknownPaths } from '../../../platform/http/unknown-paths.ts'
import type { Context } from '../../context.ts'
import { apiKeyRoutes } from '../../shared/api-key-routes.ts'
import { deviceHistoryRoutes } from '../../shared/device-history.ts'
import { dictionaryRoute } from '../../shared/dictionary-route.ts'
import { ownLimitRoutes } from '../../shared/own-limit-routes.ts'
import { sharedDeviceRoutes } from '../../shared/shared-device-routes.ts'
import { authenticatePartner, callerOf, callers } from '../authenticate-partner.ts'
import { applicationRequestRoutes } from './application-request-routes.ts'
import { declaredCommandRoutes } from './declared-command-routes.ts'
import { domainRoutes } from './domain.ts'
import { fleetCommandRoutes } from './fleet-command-routes.ts'
import { integrationLogRoutes } from './integration-log-routes.ts'
import { modelRoutes } from './model-routes.ts'
import { applicationRoutes } from './partner-application-routes.ts'
import { auditEventRoutes } from './partner-audit-routes.ts'
import { deviceRoutes } from './partner-device-routes.ts'
import { dictionaryRoutes } from './partner-dictionary-routes.ts'
import { infoRoutes } from './partner-info-routes.ts'
import { memberRoutes } from './partner-member-routes.ts'
import { presentationChangeRoutes } from './partner-presentation-routes.ts'
import { progressRoutes } from './progress-routes.ts'
import { webhookDeliveryRoutes } from './webhook-delivery-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** `/core/v1/partner/…`: a partner's own data, and never a customer's people, groups, spaces or names (contract 1.5). */
export async function partnerApi(app: App, context: Context): Promise<void> {
  authenticatePartner(app, context)
  refuseUnknownPaths(app)
  requireDeclaredReads(app)
  requireDeclaredQuotas(app)
  acceptIdempotencyKeys(app, context, (request) => {
    const { partner_id, actor } = callerOf(request)
    return `${partner_id} ${JSON.stringify(actor)}`
  })
  documentRefusals(app, {
    403: ['partner_members_only', 'foreign_origin'],
    422: ['partner_required'],
    429: ['too_many_attempts', 'too_many_requests'],
  })
  sendEtags(app)
  infoRoutes(app, context)
  domainRoutes(app, context)
  presentationChangeRoutes(app, context)
  progressRoutes(app, context)
  applicationRoutes(app, context)
  applicationRequestRoutes(app, context)
  modelRoutes(app, context)
  dictionaryRoute(app, context, callers)
  dictionaryRoutes(app, context)
  declaredCommandRoutes(app, context)
  deviceRoutes(app, context)
  fleetCommandRoutes(app, context)
  sharedDeviceRoutes(app, context, callers)
  deviceHistoryRoutes(app, context, callers)
  integrationLogRoutes(app, context)
  webhookRoutes(app, context)
  webhookDeliveryRoutes(app, context)
  memberRoutes(app, context)
  apiKeyRoutes(app, context, callers)
  ownLimitRoutes(app, context, callers)
  auditEventRoutes(app, context)
}
