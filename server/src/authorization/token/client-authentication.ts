import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { digest, sameDigest } from '../../platform/secrets/secrets.ts'
import { findClients, type StoredClient } from '../store/clients.ts'
import { OAuthRefusal, refuseRepeated, required } from './oauth-refusal.ts'

export interface Credentials {
  client_id: string
  client_secret: string
}

export interface Client {
  client_id: string
  id_token_alg: 'RS256' | 'ES256'
}

/** Whether the client tried HTTP Basic: its 401 then carries the challenge (contract 5). */
export function usesBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization)
}

/** From the header or the body; when sent in both they must be the same (contract 4.2). */
export function readCredentials(authorization: string | undefined, form: Parameters): Credentials {
  refuseRepeated(form, 'client_id', 'client_secret')
  const body = { client_id: form.get('client_id'), client_secret: form.get('client_secret') }
  if (usesBasic(authorization)) {
    const header = readBasic(authorization)
    const differs = (name: keyof Credentials) => body[name] !== undefined && body[name] !== header[name]
    if (differs('client_id') || differs('client_secret')) {
      const sentence = 'The credentials in the Authorization header and in the body differ.'
      throw new OAuthRefusal('invalid_request', sentence, 'credentials_differ')
    }
    return header
  }
  if (!body.client_id && !body.client_secret) {
    const sentence = 'Client credentials are missing: send client_id and client_secret, in the body or as HTTP Basic.'
    throw new OAuthRefusal('invalid_request', sentence, 'credentials_missing')
  }
  return { client_id: required(form, 'client_id'), client_secret: required(form, 'client_secret') }
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined by a colon. */
function readBasic(authorization: string): Credentials {
  const pair = Buffer.from(authorization.slice('basic '.length).trim(), 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const client_id = formDecode(pair.slice(0, Math.max(colon, 0)))
  const client_secret = formDecode(pair.slice(colon + 1))
  if (!client_id || client_secret === null) {
    const sentence = 'The Authorization header is not well-formed HTTP Basic.'
    throw new OAuthRefusal('invalid_client', sentence, 'credentials_missing')
  }
  return { client_id, client_secret }
}

function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

export interface ClientLookUp {
  findClient: ReturnType<typeof createClientLookUp>
}

export async function authenticateClient(context: ClientLookUp, credentials: Credentials): Promise<Client> {
  return judgeClient(isId(credentials.client_id) ? await context.findClient(credentials.client_id) : null, credentials)
}

/** Compared with when the client is unknown, so that the response takes as long as for a known one. */
const noSecret = digest('')

/** Unknown, wrong and disabled get the same response: a caller without the secret must not learn which clients exist. */
export function judgeClient(client: StoredClient | null, credentials: Credentials): Client {
  const presented = digest(credentials.client_secret)
  const secrets = client?.secrets ?? noSecret
  // All are compared in constant time: the response time reveals neither which secret was close nor whether there is one.
  let matches = false
  for (let at = 0; at < secrets.length; at += 32) {
    if (sameDigest(secrets.subarray(at, at + 32), presented)) matches = true
  }
  const sentence = 'The client is unknown, its secret is wrong, or it is disabled.'
  if (!client) throw new OAuthRefusal('invalid_client', sentence, 'client_unknown')
  if (!matches) throw new OAuthRefusal('invalid_client', sentence, 'secret_wrong', client.client_id)
  if (!client.enabled) throw new OAuthRefusal('invalid_client', sentence, 'application_disabled', client.client_id)
  return { client_id: client.client_id, id_token_alg: client.id_token_alg }
}

export function createClientLookUp(context: BaseContext) {
  return coalesce<string, StoredClient | null>(async (ids) => {
    const found = await findClients(context.hot, [...new Set(ids)], context.now())
    const byId = new Map(found.map((client) => [client.client_id, client]))
    return ids.map((id) => byId.get(id.toLowerCase()) ?? null)
  })
}
