import type { Application, Connected, Pending } from './connect.ts'
import { AccessDenied, CallbackDiscarded, WebhookRefused } from './errors.ts'
import { call } from './transport.ts'
import { readWebhook, type WebhookEvent } from './webhooks.ts'

/** Takes a web-standard request: as it is in Next, Deno, Bun and workers, by `expressHandler` or `fastifyHandler` elsewhere. */
export type Handler = (request: Request) => Promise<Response>

export interface ConnectHandlersOptions {
  application: Application
  /** Signs the cookie that ties the return of a person to their departure: 32 random bytes or more, as text. */
  cookieSecret: string
  /** Where to send the person now, as an address of yours. */
  onConnected(connected: Connected, request: Request): string | Promise<string>
  /** The person declined, or something failed: a page or address of yours. A plain page if left out. */
  onFailed?(error: unknown, request: Request): Response | Promise<Response>
}

const cookieSeconds = 900

/** `connect` sends the person to the consent screen, `callback` takes their return at the redirect URI. */
export function connectHandlers(options: ConnectHandlersOptions): { connect: Handler; callback: Handler } {
  const { application, cookieSecret } = options
  if (cookieSecret.length < 32) throw new Error('cookieSecret must have 32 characters or more.')
  const isSecure = application.options.redirectUri.startsWith('https:')
  const secure = isSecure ? '; Secure' : ''
  // By its prefix no other host of the same domain can set it, and so connect a person to an organization of its own.
  const cookieName = isSecure ? '__Host-landbridge_pending' : 'landbridge_pending'
  const cookie = (value: string, seconds: number) =>
    `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
  return {
    async connect() {
      const { url, pending } = await application.begin()
      return redirect(url, cookie(await sign(cookieSecret, JSON.stringify(pending)), cookieSeconds))
    },
    async callback(request) {
      const forget = cookie('', 0)
      try {
        const signed = cookieOf(request, cookieName)
        const text = signed === undefined ? undefined : await verify(cookieSecret, signed)
        const pending = text === undefined ? undefined : (JSON.parse(text) as Pending)
        // Not with the request's signal: the code is spent, whether the person waits or not.
        const connected = await application.finish(request.url, pending)
        return redirect(await options.onConnected(connected, request), forget)
      } catch (error) {
        const response = await (options.onFailed ?? plainPage)(error, request)
        const headers = new Headers(response.headers)
        headers.append('set-cookie', forget)
        return new Response(response.body, { status: response.status, headers })
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

function redirect(location: string, cookie: string): Response {
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' } })
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

function cookieOf(request: Request, name: string): string | undefined {
  for (const part of (request.headers.get('cookie') ?? '').split(/; */)) {
    if (part.startsWith(`${name}=`)) return part.slice(name.length + 1)
  }
  return undefined
}

const hmac = { name: 'HMAC', hash: 'SHA-256' }

async function keyOf(secret: string) {
  return await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, ['sign', 'verify'])
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const signature = new Uint8Array(await crypto.subtle.sign(hmac, await keyOf(secret), bytes))
  return `${hex(bytes)}.${hex(signature)}`
}

async function verify(secret: string, signed: string): Promise<string | undefined> {
  const [text = '', signature = ''] = signed.split('.')
  const bytes = unhex(text)
  return (await crypto.subtle.verify(hmac, await keyOf(secret), unhex(signature), bytes))
    ? new TextDecoder().decode(bytes)
    : undefined
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const unhex = (text: string) => Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16))
