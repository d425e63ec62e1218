import type { Application, Connected } from './connect.ts'
import { AccessDenied, CallbackDiscarded, WebhookRefused } from './errors.ts'
import { PendingCookies } from './pending-cookies.ts'
import { call } from './transport.ts'
import { readWebhook, requireSecrets, type WebhookEvent } from './webhooks.ts'

/** Takes a web-standard request: as it is in Next, Deno, Bun and workers, by `expressHandler` or `fastifyHandler` elsewhere. */
export type Handler = (request: Request) => Promise<Response>

export interface ConnectHandlersOptions {
  application: Application
  /** Signs the cookies that tie the return of a person to their departure: 32 random bytes or more, as text. */
  cookieSecret: string
  /** Where to send the person now, as an address of yours. */
  onConnected(connected: Connected, request: Request): string | Promise<string>
  /** The person declined, or something failed: a page or address of yours. A plain page if left out. */
  onFailed?(error: unknown, request: Request): Response | Promise<Response>
}

/** `connect` sends the person to the consent screen, `callback` takes their return at the redirect URI. */
export function connectHandlers(options: ConnectHandlersOptions): { connect: Handler; callback: Handler } {
  const { application, cookieSecret } = options
  const cookies = new PendingCookies(cookieSecret, application.options.redirectUri.startsWith('https:'))
  return {
    async connect(request) {
      const { url, pending } = await application.begin()
      return redirect(url, await cookies.add(request, pending))
    },
    async callback(request) {
      const pending = await cookies.find(request)
      const forget = pending ? [cookies.remove(pending.state)] : []
      try {
        // Not with the request's signal: the code is spent, whether the person waits or not.
        const connected = await application.finish(request.url, pending)
        return redirect(await options.onConnected(connected, request), forget)
      } catch (error) {
        const response = await (options.onFailed ?? plainPage)(error, request)
        // Anybody can send a person here with a callback of their own making: the one that is waited for may still come.
        return error instanceof CallbackDiscarded ? response : withCookies(response, forget)
      }
    },
  }
}

/** Responds 204 once `onEvent` is done; anything else makes the service deliver the event again. */
export function webhookHandler({
  secrets,
  onEvent,
  onError,
}: {
  /** Both of them during a rotation. */
  secrets: string | string[]
  onEvent(event: WebhookEvent): void | Promise<void>
  onError?(error: unknown): void
}): Handler {
  requireSecrets(secrets)
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    try {
      await onEvent(await readWebhook(secrets, request.headers, await request.text()))
      return new Response(null, { status: 204 })
    } catch (error) {
      call(onError, error)
      return new Response(null, { status: error instanceof WebhookRefused ? 401 : 500 })
    }
  }
}

function redirect(location: string, cookies: string[]): Response {
  const response = new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
  return withCookies(response, cookies)
}

function withCookies({ body, status, headers: given }: Response, cookies: string[]): Response {
  const headers = new Headers(given)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(body, { status, headers })
}

function plainPage(error: unknown): Response {
  const [status, text] =
    error instanceof AccessDenied
      ? [403, 'The organization was not connected: the request was declined.']
      : error instanceof CallbackDiscarded
        ? [400, 'This link is no longer valid. Start connecting again.']
        : [502, 'The organization could not be connected. Try again later.']
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
