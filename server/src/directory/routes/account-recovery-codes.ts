import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../platform/pages/html.ts'
import { sendPage } from '../../platform/pages/page.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'

/** The only time that they are shown: what is stored are digests. */
export async function sendRecoveryCodes(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  codes: string[],
  done?: string,
) {
  const body = html`
<h1>Save your recovery codes</h1>
${done && html`<div class="note" role="status"><p>${done}</p></div>`}
<p>With one of these codes you can sign in when you have lost your passkey or phone. Keep them where you keep passwords, or print this page. Each works once.</p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p><strong>They are not shown again.</strong></p>
<div class="actions"><a class="button primary" href="/account#factors">I have saved them</a></div>`
  const page = { title: 'Save your recovery codes', body, brand: await brandOfHost(context, request.host) }
  return sendPage(reply, 200, page)
}
