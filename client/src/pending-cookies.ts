import { base64url, fromBase64url } from './base64url.ts'
import type { Pending } from './connect.ts'

const lifetimeSeconds = 900

/** As many requests of one browser may be pending, as in tabs: each cookie adds 400 bytes to every request. */
const mostPending = 8

interface Kept extends Pending {
  /** Milliseconds since 1970. */
  until: number
}

/** Ties the return of a person to their departure: one signed cookie per state, so that two tabs do not disturb each other. */
export class PendingCookies {
  readonly #secret: string
  readonly #prefix: string
  readonly #attributes: string

  constructor(secret: string, isSecure: boolean) {
    if (secret.length < 32) throw new Error('cookieSecret must have 32 characters or more.')
    this.#secret = secret
    // By its prefix no other host of the same domain can set it, and so connect a person to an organization of its own.
    this.#prefix = isSecure ? '__Host-landbridge_pending_' : 'landbridge_pending_'
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  }

  /** The cookies to set for a departure: its own, and the end of those that are too old or too many. */
  async add(request: Request, pending: Pending): Promise<string[]> {
    const kept: Kept = { ...pending, until: Date.now() + lifetimeSeconds * 1000 }
    const own = this.#cookie(pending.state, await sign(this.#secret, JSON.stringify(kept)), lifetimeSeconds)
    const others = await Promise.all(
      [...this.#cookiesOf(request)].map(async ([state, value]) => ({
        state,
        until: (await this.#open(state, value))?.until ?? 0,
      })),
    )
    others.sort((one, other) => other.until - one.until)
    const ended = others.filter(({ until }, index) => until === 0 || index >= mostPending - 1)
    return [own, ...ended.map(({ state }) => this.remove(state))]
  }

  /** What was kept for the state of this callback; undefined when nothing was, or not by us. */
  async find(request: Request): Promise<Pending | undefined> {
    const state = new URL(request.url).searchParams.get('state') ?? ''
    const value = this.#cookiesOf(request).get(state)
    return value === undefined ? undefined : await this.#open(state, value)
  }

  remove(state: string): string {
    return this.#cookie(state, '', 0)
  }

  async #open(state: string, value: string): Promise<Kept | undefined> {
    const text = await verify(this.#secret, value)
    const kept = text === undefined ? undefined : (JSON.parse(text) as Kept)
    return kept?.state === state && kept.until > Date.now() ? kept : undefined
  }

  #cookie(state: string, value: string, seconds: number): string {
    return `${this.#prefix}${state}=${value}; Max-Age=${seconds}; ${this.#attributes}`
  }

  /** The values by their states. */
  #cookiesOf(request: Request): Map<string, string> {
    const cookies = new Map<string, string>()
    for (const part of (request.headers.get('cookie') ?? '').split(/; */)) {
      const [, state, value] = /^([\w-]{1,100})=(.*)$/.exec(part.slice(this.#prefix.length)) ?? []
      if (part.startsWith(this.#prefix) && state) cookies.set(state, value!)
    }
    return cookies
  }
}

const hmac = { name: 'HMAC', hash: 'SHA-256' }

async function keyOf(secret: string) {
  return await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, ['sign', 'verify'])
}

async function sign(secret: string, text: string): Promise<string> {
  const signature = await crypto.subtle.sign(hmac, await keyOf(secret), new TextEncoder().encode(text))
  return `${base64url(new TextEncoder().encode(text))}.${base64url(new Uint8Array(signature))}`
}

async function verify(secret: string, signed: string): Promise<string | undefined> {
  const [text, signature] = signed.split('.').map(bytesIn)
  if (!text || !signature) return undefined
  return (await crypto.subtle.verify(hmac, await keyOf(secret), signature, text))
    ? new TextDecoder().decode(text)
    : undefined
}

function bytesIn(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64url(text)
  } catch {
    return undefined
  }
}
