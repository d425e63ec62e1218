import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { toFormRefusal } from '../http/form.ts'
import type { Refusal } from '../refusal.ts'
import { type Content, html } from './html.ts'
import { type Brand, sendPage } from './page.ts'

/** Writes a refusal as a page that says what happened and what to do next. */
export function writePageRefusal(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toFormRefusal(error, request.method)
  if (refusal.status >= 500) request.log.error({ err: error }, 'failed')
  else request.log.info({ code: refusal.code, reason: refusal.reason }, 'refused')
  if (refusal.status === 503) reply.header('retry-after', '2')
  void sendRefusalPage(reply, { status: refusal.status, error: refusal.code, sentence: refusal.message })
}

export interface RefusalPage {
  status: number
  /** The code; on the page, since its reader may be the one who can fix the problem. */
  error: string
  sentence: string
  title?: string
  next?: Content
  brand?: Brand | undefined
}

export function sendRefusalPage(reply: FastifyReply, page: RefusalPage) {
  const { status, error, sentence, next, brand } = page
  const title = page.title ?? 'Something went wrong'
  const body = html`
<h1>${title}</h1>
<p>${sentence}</p>
${next && html`<p>${next}</p>`}
<p class="quiet small">Error: <code>${error}</code><br>Request: <code>${String(reply.request.id)}</code></p>`
  return sendPage(reply, status, { title, body, brand })
}
