import { readQuery } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { findRequest, problemOfRequest } from '../authorize/pending-requests.ts'
import type { Context } from '../context.ts'
import { applicationCard } from './application-card.ts'

/** For the sign-in page: which application waits behind the page to return to. Null when none does. */
export async function applicationAskingAt(context: Context, returnTo: string): Promise<Content> {
  if (!returnTo.startsWith('/consent')) return null
  const request = await findRequest(context, readQuery(returnTo).get('request'))
  if (!request || request.decided_at || problemOfRequest(request, context.now())) return null
  return html`${applicationCard(request)}
<p><strong>${request.application_name}</strong> asks to be connected. Sign in to decide.</p>`
}
