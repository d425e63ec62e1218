import type { WebhookBody } from './generated-types.ts'

/** What each type of event brings. */
export type WebhookData = { [Event in WebhookBody as Event['type']]: Event['data'] }

/** An event of a partner's webhook: `type` tells what `data` has. The `id` is the same at every attempt: remember the ones you handled. */
export type WebhookEvent = WebhookBody & { id: string }

export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

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
  const header = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const signatures = header('webhook-signature')
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
  if (!id || !/^\d+$/.test(timestamp) || signatures.length === 0)
    throw new WebhookRefused('The signature headers are missing.')
  // An old delivery may have been recorded by someone else and sent again.
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRefused('The delivery is too old.')
  for (const secret of [secrets].flat()) {
    for (const signature of signatures) {
      if (await isSigned(secret, `${id}.${timestamp}.${body}`, signature)) return { id, ...JSON.parse(body) }
    }
  }
  throw new WebhookRefused('No signature matches.')
}

/** `verify` takes the same time whatever the signature. */
async function isSigned(secret: string, content: string, signature: string): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', decode(secret.replace(/^whsec_/, '')), hmac, false, ['verify'])
  try {
    return await crypto.subtle.verify(hmac, key, decode(signature), new TextEncoder().encode(content))
  } catch {
    return false
  }
}

const hmac = { name: 'HMAC', hash: 'SHA-256' }

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
