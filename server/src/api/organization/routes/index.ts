import type { FastifyError, FastifyRequest } from 'fastify'
import { recordRefusal as recordOAuthRefusal } from '../../../authorization/token/oauth-refusal.ts'
import { isFailureReason } from '../../../events/failure-reasons.ts'
import { requireDeclaredQuotas } from '../../../platform/declared-quotas.ts'
import { requireDeclaredReads } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { documentRefusals } from '../../../platform/http/document-refusals.ts'
import { sendEtags } from '../../../platform/http/etag.ts'
import { acceptIdempotencyKeys } from '../../../platform/http/idempotency.ts'
import { toRefusal, writeRefusal } from '../../../platform/http/refusals.ts'
import { refuseUnknownPaths } from '../../../platform/http/unknown-paths.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import type { Context } from '../../context.ts'
import { apiKeyRoutes } from '../../shared/api-key-routes.ts'
import { deviceHistoryRoutes } from '../../shared/device-history.ts'
import { dictionaryRoute } from '../../shared/dictionary-route.ts'
import { ownLimitRoutes } from '../../shared/own-limit-routes.ts'
import { sharedDeviceRoutes } from '../../shared/shared-device-routes.ts'
import {
  authenticateOrganization,
  type Caller,
  callerOf,
  callers,
  endWithCredential,
} from '../authenticate-organization.ts'
import { requireDeclaredPermissions } from '../declared-permissions.ts'
import { refuseWhereOnlyRead } from '../refused-here.ts'
import { accessRoutes } from './access-routes.ts'
import { approvalRequestRoutes } from './approval-request-routes.ts'
import { claimListRoute } from './claim-list-routes.ts'
import { connectedAppRoutes } from './connected-app-routes.ts'
import { deviceChangeRoutes } from './device-change-routes.ts'
import { deviceExportRoutes } from './device-export.ts'
import { deviceSettingRoutes } from './device-setting-routes.ts'
import { deviceStreamRoute } from './device-stream-routes.ts'
import { deviceViewRoutes } from './device-view-routes.ts'
import { factorPolicyRoutes } from './factor-policy-routes.ts'
import { factorResetRoutes } from './factor-reset-routes.ts'
import { auditEventRoutes } from './organization-audit-routes.ts'
import { commandRoutes } from './organization-command-routes.ts'
import { claimableModelRoutes, deviceCountRoutes, deviceRoutes } from './organization-device-routes.ts'
import { groupRoutes } from './organization-group-routes.ts'
import { infoRoutes } from './organization-info-routes.ts'
import { invitationRoutes } from './organization-invitation-routes.ts'
import { ownPermissionRoutes } from './own-permission-routes.ts'
import { roleRoutes } from './role-routes.ts'
import { settingTemplateRoutes } from './setting-template-routes.ts'
import { spaceContentRoutes } from './space-contents.ts'
import { spaceRoutes } from './space-routes.ts'
import { userRoutes } from './user-routes.ts'

/** `/core/v1/organization/…`: what a customer, and the applications and API keys that act for it, can see and change. */
export async function organizationApi(app: App, context: Context): Promise<void> {
  authenticateOrganization(app, context)
  refuseWhereOnlyRead(app, context)
  endWithCredential(app, context)
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const refusal = toRefusal(error, request.method)
    recordRefusal(context, request, refusal)
    // 7.7, for a token that was revoked after the request was authenticated.
    if (refusal.status === 401 && callerOf(request)?.credential === 'bearer') {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
    }
    writeRefusal(error, request, reply)
  })
  refuseUnknownPaths(app)
  requireDeclaredReads(app)
  requireDeclaredPermissions(app)
  requireDeclaredQuotas(app)
  acceptIdempotencyKeys(app, context, (request) => {
    const { customer_id, actor } = callerOf(request)
    return `${customer_id} ${JSON.stringify(actor)}`
  })
  documentRefusals(app, {
    403: ['administrators_only', 'foreign_origin', 'not_approved', 'not_permitted', 'second_factor_required'],
    422: ['customer_required'],
    429: ['too_many_attempts', 'too_many_requests'],
  })
  sendEtags(app)
  infoRoutes(app, context)
  ownPermissionRoutes(app, context)
  userRoutes(app, context)
  factorPolicyRoutes(app, context)
  factorResetRoutes(app, context)
  invitationRoutes(app, context)
  groupRoutes(app, context)
  roleRoutes(app, context)
  accessRoutes(app, context)
  spaceRoutes(app, context)
  spaceContentRoutes(app, context)
  deviceRoutes(app, context)
  claimListRoute(app, context)
  deviceChangeRoutes(app, context)
  deviceExportRoutes(app, context)
  deviceViewRoutes(app, context)
  deviceSettingRoutes(app, context)
  settingTemplateRoutes(app, context)
  sharedDeviceRoutes(app, context, callers)
  deviceHistoryRoutes(app, context, callers)
  deviceStreamRoute(app, context)
  commandRoutes(app, context)
  deviceCountRoutes(app, context)
  claimableModelRoutes(app, context)
  dictionaryRoute(app, context, callers)
  apiKeyRoutes(app, context, callers)
  ownLimitRoutes(app, context, callers)
  connectedAppRoutes(app, context)
  approvalRequestRoutes(app, context)
  auditEventRoutes(app, context)
}

/**
 * Records what an application was refused, for its partner's integration log. An expired or revoked token explains itself;
 * of other refusals only the code, the route and the missing permission, since the sentence may name what only the customer may
 * see (contract 1.5).
 */
function recordRefusal(context: Context, request: FastifyRequest, refusal: Refusal): void {
  const caller = request.getDecorator<Caller | null>('caller')
  const { missing } = refusal
  const explains = refusal.status >= 500 || missing !== undefined
  if (refusal.repeated) return
  if (caller === null) {
    recordOAuthRefusal(context, request, 'organization', refusal, 'invalid_token')
  } else if (caller.client_id !== null) {
    context.integrationLog.record({
      request_id: request.id,
      endpoint: 'organization',
      status: refusal.status,
      error: refusal.code,
      description: `${request.method} ${request.routeOptions.url}${missing ? ` needs ${missing}` : ''}`,
      reason: explains && isFailureReason(refusal.code) ? refusal.code : 'organization_refused',
      application_id: caller.client_id,
    })
  }
}
