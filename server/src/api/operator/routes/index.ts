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
import { requireOperator } from '../authenticate.ts'
import { applicationRoutes } from './applications.ts'
import { auditEventRoutes } from './audit-events.ts'
import { customerRoutes } from './customers.ts'
import { groupRoutes } from './groups.ts'
import { hubCellRoutes } from './hub-cells.ts'
import { invitationRoutes } from './invitations.ts'
import { limitRoutes } from './limits.ts'
import { memberRoutes } from './members.ts'
import { partnerRoutes } from './partners.ts'
import { peopleRoutes } from './people.ts'
import { presentationChangeRoutes } from './presentation-changes.ts'
import { signingKeyRoutes } from './signing-keys.ts'

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
  presentationChangeRoutes(app, context)
  customerRoutes(app, context)
  memberRoutes(app, context)
  groupRoutes(app, context)
  peopleRoutes(app, context)
  invitationRoutes(app, context)
  auditEventRoutes(app, context)
  signingKeyRoutes(app, context)
  hubCellRoutes(app, context)
  limitRoutes(app, context)
}
