import { LandbridgeError, WebhookRefused } from './errors.ts'
import type { WebhookBody } from './generated-types.ts'

/** What each type of event brings. */
export type WebhookData = { [Event in WebhookBody as Event['type']]: Event['data'] }

/** An event of a partner's webhook: `type` tells what `data` has. The `id` is the same at every attempt: remember the ones you handled. */
export type WebhookEvent = WebhookBody & { id: string }

const toleranceSeconds = 300

/**
 * Checks a delivery (Standard Webhooks) and reads it. `body` must be the bytes as they came: parsing and writing JSON
 * again changes them. During a rotation pass both secrets.
 */
export async function readWebhook(
  secrets: string | string[],
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string,
  now: Date = new Date(),
): Promise<WebhookEvent> {
  const header = headerReader(headers)
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const signatures = header('webhook-signature')
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
  if (!id || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0) {
    throw new WebhookRefused('signature_missing', 'webhook-id, webhook-timestamp or webhook-signature is missing.')
  }
  // An old delivery may have been recorded by someone else and sent again.
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    const sent = new Date(Number(timestamp) * 1000).toISOString()
    const message = `The delivery was sent at ${sent}, and this machine's clock says ${now.toISOString()}.`
    throw new WebhookRefused('delivery_too_old', message)
  }
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret)
    for (const signature of signatures) {
      if (await isSigned(key, `${id}.${timestamp}.${body}`, signature)) return { id, ...JSON.parse(body) }
    }
  }
  throw new WebhookRefused('signature_mismatch', 'No signature matches: another secret, or the body was changed.')
}

/** Names of headers have no case (RFC 9110 section 5.1), but an object's names have: some servers hand them over as sent. */
function headerReader(headers: Headers | Record<string, string | string[] | undefined>): (name: string) => string {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? ''
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => String(values.get(name) ?? '')
}

/** Throws where one of them is no secret of a webhook: at the start of a program, and not when the first event comes. */
export function requireSecrets(secrets: string | string[]): void {
  const all = [secrets].flat()
  if (all.length === 0)
    throw new LandbridgeError('invalid_secret', 'The handler has no secret to check deliveries with.')
  for (const secret of all) bytesOf(secret)
}

async function keyOf(secret: string) {
  return await crypto.subtle.importKey('raw', bytesOf(secret), hmac, false, ['verify'])
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = decode(secret.replace(/^whsec_/, ''))
    if (bytes.length > 0) return bytes
  } catch {
    // No base64 at all.
  }
  throw new LandbridgeError('invalid_secret', 'The secret is none of a webhook: whsec_ and base64.')
}

/** `verify` takes the same time whatever the signature. */
async function isSigned(key: Key, content: string, signature: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify(hmac, key, decode(signature), new TextEncoder().encode(content))
  } catch {
    return false
  }
}

type Key = Awaited<ReturnType<typeof keyOf>>

const hmac = { name: 'HMAC', hash: 'SHA-256' }

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
