import type { App } from '../../platform/http/app.ts'
import { acceptFormsOnly } from '../../platform/http/form.ts'
import { writePageRefusal } from '../../platform/pages/refusal-pages.ts'
import type { Context } from '../context.ts'
import { ensureSigningKeys } from '../keys/signing-keys.ts'
import { askRoutes } from './ask.ts'
import { authorizeRoutes } from './authorize.ts'
import { consentRoutes } from './consent-routes.ts'
import { discoveryRoutes } from './discovery.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'
import { userinfoRoutes } from './userinfo-routes.ts'

/** The endpoints that clients call themselves. */
export async function authorizationApi(app: App, context: Context): Promise<void> {
  app.addHook('onReady', async () => ensureSigningKeys(context))
  await app.register(async (scope) => tokenRoute(scope, context))
  await app.register(async (scope) => revokeRoute(scope, context))
  await app.register(async (scope) => userinfoRoutes(scope, context))
  await app.register(async (scope) => discoveryRoutes(scope, context))
}

export { applicationAskingAt } from '../consent/asking.ts'

/** The endpoints that a person's browser is sent to. */
export async function authorizationPages(app: App, context: Context): Promise<void> {
  acceptFormsOnly(app)
  app.setErrorHandler(writePageRefusal)
  authorizeRoutes(app, context)
  consentRoutes(app, context)
  askRoutes(app, context)
}
