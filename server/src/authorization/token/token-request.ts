import type { Parameters } from '../../platform/http/form.ts'
import { type Credentials, readCredentials } from './client-authentication.ts'
import { OAuthRefusal, refuseRepeated, required } from './oauth-refusal.ts'

export interface CodeExchange {
  grant_type: 'authorization_code'
  code: string
  redirect_uri: string
  code_verifier: string
}

export interface Refresh {
  grant_type: 'refresh_token'
  refresh_token: string
  scope: string | undefined
}

/** What the form asks for, or the refusal that waits until the client is authenticated (decision 6.19). */
export interface ClientRequest<Request> {
  credentials: Credentials
  request: Request | OAuthRefusal
}

/** The form of `POST /oauth/token` (contract 4.2). */
export function parseTokenRequest(
  authorization: string | undefined,
  form: Parameters,
): ClientRequest<CodeExchange | Refresh> {
  return parse(authorization, form, () => {
    const grant_type = required(form, 'grant_type')
    if (grant_type === 'authorization_code') {
      const code = required(form, 'code')
      const redirect_uri = required(form, 'redirect_uri')
      return { grant_type, code, redirect_uri, code_verifier: required(form, 'code_verifier') }
    }
    if (grant_type === 'refresh_token') {
      refuseRepeated(form, 'scope')
      return { grant_type, refresh_token: required(form, 'refresh_token'), scope: form.get('scope') }
    }
    const sentence = 'grant_type must be authorization_code or refresh_token.'
    throw new OAuthRefusal('unsupported_grant_type', sentence, 'grant_type_unsupported')
  })
}

/** The form of `POST /oauth/revoke` (contract 4.3). */
export function parseRevocation(authorization: string | undefined, form: Parameters): ClientRequest<{ token: string }> {
  return parse(authorization, form, () => ({ token: required(form, 'token') }))
}

/** Throws at once only for credentials that cannot be read: those are checked first. */
function parse<Request>(
  authorization: string | undefined,
  form: Parameters,
  read: () => Request,
): ClientRequest<Request> {
  const credentials = readCredentials(authorization, form)
  try {
    return { credentials, request: read() }
  } catch (error) {
    if (error instanceof OAuthRefusal) return { credentials, request: error }
    throw error
  }
}
