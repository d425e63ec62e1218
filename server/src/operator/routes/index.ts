import type { Context } from '../../context.ts'
import type { App } from '../../platform/http.ts'
import { requireOperator } from '../access.ts'
import { partnerRoutes } from './partners.ts'

export async function operatorApi(app: App, context: Context): Promise<void> {
  app.addHook('onRequest', async (request) => requireOperator(context, request.headers.authorization))
  partnerRoutes(app, context)
}
