import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Brand } from '../../platform/pages/page.ts'
import type { Session } from '../accounts/sessions.ts'
import type { Context } from '../context.ts'

/** What a form of the page led to. */
export interface AccountOutcome {
  status?: number
  /** The section that shows the problem. */
  section?: string
  problem?: string
  /** Shown at the top of the page. */
  done?: Content
}

export interface AccountView {
  session: Session
  brand: Brand
  /** That the request was sent to. */
  host: string
  outcome: AccountOutcome
}

/** What the handler of a form gets; nobody but the signed-in person, on a page of this host, reaches it. */
export interface AccountForm {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  form: Parameters
  /** Sends the whole page again. */
  show(outcome: AccountOutcome): Promise<FastifyReply>
}

/** Registers the POST route of a form. */
export type PostAccountForm = (path: string, handle: (sent: AccountForm) => Promise<unknown>) => void

/** A part of /account: what it shows, and the routes of its forms and further pages. */
export interface AccountSection {
  name: string
  render(context: Context, view: AccountView): Content | Promise<Content>
  routes(app: App, context: Context, post: PostAccountForm): void
}

/** The problem of this section, as an alert above its form. */
export function problemOf(name: string, { outcome }: AccountView): Content {
  if (outcome.section !== name || !outcome.problem) return null
  return html`<div class="alert" role="alert"><p>${outcome.problem}</p></div>`
}
