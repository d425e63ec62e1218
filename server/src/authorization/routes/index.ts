import type { Context } from '../../context.ts'
import type { App } from '../../platform/http/server.ts'
import { ensureSigningKeys } from '../keys/signing-keys.ts'
import { discoveryRoutes } from './discovery.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'
import { userinfoRoutes } from './userinfo.ts'

/** The machine's half of the way in: what clients call without a person. */
export async function authorizationApi(app: App, context: Context): Promise<void> {
  app.addHook('onReady', async () => ensureSigningKeys(context))
  await app.register(async (scope) => tokenRoute(scope, context))
  await app.register(async (scope) => revokeRoute(scope, context))
  await app.register(async (scope) => userinfoRoutes(scope, context))
  await app.register(async (scope) => discoveryRoutes(scope, context))
}
