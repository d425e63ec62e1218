import { createHmac, randomBytes } from 'node:crypto'
import { secretPrefixes } from '../../platform/secrets/secrets.ts'

/** Standard Webhooks: the key is the base64 behind the prefix, so that receivers' libraries accept it as it is. */
export function mintWebhookSecret(): string {
  return secretPrefixes.webhook_secret + randomBytes(32).toString('base64')
}

export interface SignedMessage {
  id: string
  at: Date
  payload: string
}

/** The headers of one attempt. Every valid secret signs; a receiver accepts the signature of the one it knows. */
export function signatureHeaders(message: SignedMessage, secrets: string[]): Record<string, string> {
  const timestamp = Math.floor(message.at.getTime() / 1000)
  const content = `${message.id}.${timestamp}.${message.payload}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(secretPrefixes.webhook_secret.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
