import type { Context } from '../../context.ts'
import { acceptFormsOnly } from '../../platform/http/form.ts'
import type { App } from '../../platform/http/server.ts'
import { isolatedFromOpener } from '../../platform/pages/headers.ts'
import { stylesheetRoute } from '../../platform/pages/page.ts'
import { writePageRefusal } from '../../platform/pages/refusals.ts'
import { accountRoutes } from './account.ts'
import { brandRoutes } from './brands.ts'
import { linkRoutes } from './link.ts'
import { signInRoutes } from './sign-in.ts'

/** The pages about people and their accounts, and the stylesheets and logos of all pages. */
export async function accountPages(app: App, context: Context): Promise<void> {
  acceptFormsOnly(app)
  app.setErrorHandler(writePageRefusal)
  stylesheetRoute(app)
  brandRoutes(app, context)
  signInRoutes(app, context)
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(isolatedFromOpener))
    accountRoutes(scope, context)
    linkRoutes(scope, context)
  })
}
