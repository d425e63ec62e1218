import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { acceptFormsOnly } from '../../platform/http/form.ts'
import { isolatedFromOpener } from '../../platform/pages/headers.ts'
import { pageFiles } from '../../platform/pages/page.ts'
import { writePageRefusal } from '../../platform/pages/refusal-pages.ts'
import type { Context } from '../context.ts'
import { getApplicationLogo } from '../partners/applications.ts'
import { getAccentStylesheet, getLogo } from '../partners/branding.ts'
import { accountRoutes } from './account.ts'
import { forgottenPasswordRoutes } from './forgotten-password-routes.ts'
import { linkRoutes } from './link.ts'
import { linkCodeRoutes } from './link-code.ts'
import { proofRoutes } from './prove.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { type Describe, signInRoutes } from './sign-in-routes.ts'
import { strongerPasswordRoutes } from './stronger-password.ts'

/** The pages about people and their accounts, and the stylesheets and logos of all pages. */
export async function accountPages(app: App, context: Context, describe: Describe): Promise<void> {
  acceptFormsOnly(app)
  app.setErrorHandler(writePageRefusal)
  pageFiles(app)
  brandRoutes(app, context)
  signInRoutes(app, context, describe)
  secondFactorRoutes(app, context)
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(isolatedFromOpener))
    accountRoutes(scope, context)
    proofRoutes(scope, context)
    linkRoutes(scope, context)
    linkCodeRoutes(scope, context)
    strongerPasswordRoutes(scope, context)
    forgottenPasswordRoutes(scope, context)
  })
}

const cached = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' }

function brandRoutes(app: App, context: Context): void {
  app.get<{ Params: { id: string } }>('/pages/partners/:id/accent.css', async (request, reply) =>
    reply
      .headers(cached)
      .type('text/css; charset=utf-8')
      .send(await getAccentStylesheet(context, request.params.id)),
  )

  app.get<{ Params: { id: string } }>('/pages/partners/:id/logo', async (request, reply) => {
    return sendLogo(reply, await getLogo(context, request.params.id))
  })

  app.get<{ Params: { id: string } }>('/pages/applications/:id/logo', async (request, reply) => {
    return sendLogo(reply, await getApplicationLogo(context, request.params.id))
  })
}

/** Opened on its own, an image must never run as a document of ours. */
function sendLogo(reply: FastifyReply, { logo, logo_type }: { logo: Buffer; logo_type: string }) {
  return reply
    .headers({ ...cached, 'content-security-policy': "default-src 'none'; sandbox" })
    .type(logo_type)
    .send(logo)
}
