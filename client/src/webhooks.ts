interface DeviceData {
  device_id: string
  model_id: string
  mac: string
  sn: string
}

interface FirmwareData extends DeviceData {
  firmware_version: string
}

type DeviceStatus = 'online' | 'offline' | 'error'

/** What each type of event brings. */
export interface WebhookData {
  'device.registered': FirmwareData
  'device.updated': FirmwareData & { previous_firmware_version: string }
  'device.claimed': DeviceData
  'device.removed': DeviceData
  'device.status_changed': DeviceData & { status: DeviceStatus; previous_status: DeviceStatus }
  'grant.revoked': { client_id: string; org_id: string; reason: string }
  'grant.connected': { client_id: string; org_id: string }
  /** A member asked their administrators; which organization it is, is told with the approval. */
  'approval.requested': { client_id: string }
  'approval.given': { client_id: string; org_id: string }
  'approval.withdrawn': { client_id: string; org_id: string }
  'application.disabled': { client_id: string }
  /** Sent by the button of the partner portal. */
  'webhook.test': { message: string }
}

/** An event of a partner's webhook: `type` tells what `data` has. */
export type WebhookEvent = {
  [Type in keyof WebhookData]: {
    /** The same at every attempt: remember the ones you handled. */
    id: string
    type: Type
    timestamp: string
    data: WebhookData[Type]
  }
}[keyof WebhookData]

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
