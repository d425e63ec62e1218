import type { Context } from './context.ts'
import { operatorApi } from './operator/routes/index.ts'
import { type App, createHttp } from './platform/http.ts'

/** The one list of everything that is served. */
export async function buildApp(context: Context): Promise<App> {
  const app = createHttp({ log: context.log, trustProxy: context.config.trustProxy })
  await app.register(async (scope) => operatorApi(scope, context), { prefix: '/core/v1/operator' })
  return app
}
