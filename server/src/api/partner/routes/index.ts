import { requireDeclaredQuotas } from '../../../platform/declared-quotas.ts'
import { requireDeclaredReads } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { documentRefusals } from '../../../platform/http/document-refusals.ts'
import { sendEtags } from '../../../platform/http/etag.ts'
import { acceptIdempotencyKeys } from '../../../platform/http/idempotency.ts'
import { refuseUnknownPaths } from '../../../platform/http/unknown-paths.ts'
import type { Context } from '../../context.ts'
import { apiKeyRoutes } from '../../shared/api-keys.ts'
import { deviceHistoryRoutes } from '../../shared/device-history.ts'
import { sharedDeviceRoutes } from '../../shared/devices.ts'
import { dictionaryRoute } from '../../shared/dictionary.ts'
import { ownLimitRoutes } from '../../shared/limits.ts'
import { authenticatePartner, callerOf, callers } from '../authenticate.ts'
import { applicationRoutes } from './applications.ts'
import { auditEventRoutes } from './audit-events.ts'
import { deviceRoutes } from './devices.ts'
import { dictionaryRoutes } from './dictionary.ts'
import { domainRoutes } from './domain.ts'
import { infoRoutes } from './info.ts'
import { integrationLogRoutes } from './integration-log.ts'
import { memberRoutes } from './members.ts'
import { modelRoutes } from './models.ts'
import { presentationChangeRoutes } from './presentation-changes.ts'
import { progressRoutes } from './progress.ts'
import { webhookDeliveryRoutes } from './webhook-deliveries.ts'
import { webhookRoutes } from './webhooks.ts'

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
  modelRoutes(app, context)
  dictionaryRoute(app, context, callers)
  dictionaryRoutes(app, context)
  deviceRoutes(app, context)
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
