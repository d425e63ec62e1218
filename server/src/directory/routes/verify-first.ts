import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../platform/pages/html.ts'
import { sendPage } from '../../platform/pages/page.ts'
import type { Session } from '../accounts/sessions.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'

/** In place of a page that adds a factor; the code leads back to it. */
export async function sendVerifyFirst(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, path }: { session: Session; path: string },
) {
  const title = 'Verify your email first'
  const body = html`
<h1>${title}</h1>
<p>We send a code to <strong>${session.email}</strong>. It shows that the address is yours; then you add your second factor.</p>
<form method="post" action="/account/email/verify"><input type="hidden" name="return_to" value="${path}">
<div class="actions"><button class="primary">Send a code</button><a class="button" href="/account#factors">Cancel</a></div>
</form>
<p class="quiet small">Not your address? <a href="/account/email/change">Change email</a></p>`
  return sendPage(reply, 200, { title, body, brand: await brandOfHost(context, request.host) })
}
