import type { Context } from '../../context.ts'
import type { App } from '../../platform/http/server.ts'
import { getAccentStylesheet, getLogo } from '../partners/branding.ts'

const cached = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' }

export function brandRoutes(app: App, context: Context): void {
  app.get<{ Params: { id: string } }>('/pages/partners/:id/accent.css', async (request, reply) =>
    reply
      .headers(cached)
      .type('text/css; charset=utf-8')
      .send(await getAccentStylesheet(context, request.params.id)),
  )

  app.get<{ Params: { id: string } }>('/pages/partners/:id/logo', async (request, reply) => {
    const { logo, logo_type } = await getLogo(context, request.params.id)
    // Opened on its own, an image must never run as a document of ours.
    return reply
      .headers({ ...cached, 'content-security-policy': "default-src 'none'; sandbox" })
      .type(logo_type)
      .send(logo)
  })
}
