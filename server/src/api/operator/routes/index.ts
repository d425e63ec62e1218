import { requireDeclaredQuotas } from '../../../platform/declared-quotas.ts'
import { requireDeclaredReads } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { documentRefusals } from '../../../platform/http/document-refusals.ts'
import { sendEtags } from '../../../platform/http/etag.ts'
import { acceptIdempotencyKeys } from '../../../platform/http/idempotency.ts'
import { refuseUnknownPaths } from '../../../platform/http/unknown-paths.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import type { Context } from '../../context.ts'
import { limitWrongKeys } from '../../shared/wrong-keys.ts'
import { requireOperator } from '../authenticate-operator.ts'
import { customerRoutes } from './customer-routes.ts'
import { hubCellRoutes } from './hub-cell-routes.ts'
import { mailRoutes } from './mail-routes.ts'
import { applicationRoutes } from './operator-application-routes.ts'
import { auditEventRoutes } from './operator-audit-routes.ts'
import { groupRoutes } from './operator-group-routes.ts'
import { invitationRoutes } from './operator-invitation-routes.ts'
import { limitRoutes } from './operator-limit-routes.ts'
import { memberRoutes } from './operator-member-routes.ts'
import { presentationChangeRoutes } from './operator-presentation-routes.ts'
import { applicationRequestRoutes } from './operator-request-routes.ts'
import { partnerRoutes } from './partner-routes.ts'
import { peopleRoutes } from './people.ts'
import { signingKeyRoutes } from './signing-key-routes.ts'

export async function operatorApi(app: App, context: Context): Promise<void> {
  app.addHook('onRequest', async (request) => {
    const { authorization } = request.headers
    try {
      requireOperator(context, authorization)
    } catch (error) {
      throw authorization ? await limitWrongKeys(context, request, error as Refusal) : error
    }
  })
  refuseUnknownPaths(app)
  requireDeclaredReads(app)
  requireDeclaredQuotas(app)
  acceptIdempotencyKeys(app, context, () => 'operator')
  documentRefusals(app, { 429: ['too_many_attempts'] })
  sendEtags(app)
  partnerRoutes(app, context)
  applicationRoutes(app, context)
  applicationRequestRoutes(app, context)
  presentationChangeRoutes(app, context)
  customerRoutes(app, context)
  memberRoutes(app, context)
  groupRoutes(app, context)
  peopleRoutes(app, context)
  invitationRoutes(app, context)
  auditEventRoutes(app, context)
  signingKeyRoutes(app, context)
  hubCellRoutes(app, context)
  mailRoutes(app, context)
  limitRoutes(app, context)
}
