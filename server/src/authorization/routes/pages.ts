import type { Context } from '../../context.ts'
import { acceptFormsOnly } from '../../platform/http/form.ts'
import type { App } from '../../platform/http/server.ts'
import { writePageRefusal } from '../../platform/pages/refusals.ts'
import { authorizeRoutes } from './authorize.ts'
import { consentRoutes } from './consent.ts'

/** The person's half of the way in: where a browser is sent to ask for consent. */
export async function authorizationPages(app: App, context: Context): Promise<void> {
  acceptFormsOnly(app)
  app.setErrorHandler(writePageRefusal)
  authorizeRoutes(app, context)
  consentRoutes(app, context)
}
