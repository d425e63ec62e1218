import type { FailureReason } from '../../events/failure-reasons.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { specLimits } from '../../platform/spec-limits.ts'

export const scopes = ['openid', 'profile', 'email'] as const
const prompts = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof prompts)[number]

/** The values of spec 2.2, judged. */
export interface AuthorizationRequest {
  client_id: string
  redirect_uri: string
  scope: string[]
  state: string
  code_challenge: string
  nonce: string | null
  prompt: Prompt[]
  max_age: number | null
  login_hint: string | null
  /** As it was sent: whether it is one of ours is for the keys to say. */
  id_token_hint: string | null
}

export interface ApplicationFacts {
  client_id: string
  redirect_uris: string[]
  enabled: boolean
}

/** 7.1: the person is told, since there is no address that may be trusted with the answer. */
export interface PageVerdict {
  verdict: 'page'
  error: 'invalid_client' | 'invalid_request'
  sentence: string
  reason?: FailureReason
}

/** 7.2: the application is told. */
export interface RedirectVerdict {
  verdict: 'redirect'
  redirect_uri: string
  state: string | null
  error: string
  description: string
  reason: FailureReason
}

export type Judgement = PageVerdict | RedirectVerdict | { verdict: 'proceed'; request: AuthorizationRequest }

/** Spec 4.1: client_id, redirect_uri and the length of state first; then the rest, in the order of design section 6. */
export function judgeAuthorizationRequest(
  parameters: Parameters,
  application: ApplicationFacts | undefined,
): Judgement {
  const page = judgeAddressee(parameters, application)
  if (page) return page
  const { client_id } = application!
  const redirect_uri = parameters.get('redirect_uri')!
  const fault = faultOfRest(parameters)
  if (fault) {
    return { verdict: 'redirect', redirect_uri, state: parameters.get('state') ?? null, ...fault }
  }
  const maxAge = parameters.get('max_age')
  const request: AuthorizationRequest = {
    client_id,
    redirect_uri,
    scope: words(parameters.get('scope')),
    state: parameters.get('state')!,
    code_challenge: parameters.get('code_challenge')!,
    nonce: parameters.get('nonce') ?? null,
    prompt: words(parameters.get('prompt')).filter(isPrompt),
    max_age: maxAge === undefined ? null : Math.min(Number(maxAge), maxSeconds),
    login_hint: parameters.get('login_hint')?.replaceAll('\0', '').slice(0, 254) ?? null,
    id_token_hint: parameters.get('id_token_hint') ?? null,
  }
  return { verdict: 'proceed', request }
}

const maxSeconds = 2_147_483_647

function judgeAddressee(parameters: Parameters, application: ApplicationFacts | undefined): PageVerdict | null {
  const invalidClient = (sentence: string, reason?: FailureReason): PageVerdict => ({
    verdict: 'page',
    error: 'invalid_client',
    sentence,
    ...(reason ? { reason } : {}),
  })
  const invalidRequest = (sentence: string, reason: FailureReason): PageVerdict => ({
    verdict: 'page',
    error: 'invalid_request',
    sentence,
    reason,
  })

  if (parameters.repeated('client_id'))
    return invalidRequest('The application sent client_id more than once.', 'parameter_repeated')
  if (!parameters.get('client_id')) return invalidClient('The request does not say which application sent you.')
  if (!application) return invalidClient('The application that sent you here is not known.')
  if (!application.enabled) {
    return invalidClient('The application that sent you here has been disabled.', 'application_disabled')
  }
  if (parameters.repeated('redirect_uri')) {
    return invalidRequest('The application sent redirect_uri more than once.', 'parameter_repeated')
  }
  const redirectUri = parameters.get('redirect_uri')
  if (!redirectUri)
    return invalidRequest(
      'The application did not say where to send you back: redirect_uri is missing.',
      'redirect_uri_missing',
    )
  if (!application.redirect_uris.includes(redirectUri)) {
    const sentence =
      'The application wants to send you back to an address (redirect_uri) that is not registered for it.'
    return invalidRequest(sentence, 'redirect_uri_not_registered')
  }
  if (parameters.repeated('state'))
    return invalidRequest('The application sent state more than once.', 'parameter_repeated')
  if (characters(parameters.get('state') ?? '') > specLimits.stateCharacters) {
    const sentence = `The application sent a state of more than ${specLimits.stateCharacters} characters.`
    return invalidRequest(sentence, 'state_too_long')
  }
  return null
}

type Fault = Pick<RedirectVerdict, 'error' | 'description' | 'reason'>

function faultOfRest(parameters: Parameters): Fault | null {
  const invalid = (description: string, reason: FailureReason = 'parameter_invalid'): Fault => ({
    error: 'invalid_request',
    description,
    reason,
  })
  const missing = (name: string) => invalid(`${name} is missing`, 'parameter_missing')
  const twice = (name: string) =>
    parameters.repeated(name) ? invalid(`${name} was sent more than once`, 'parameter_repeated') : null

  const responseType = parameters.get('response_type')
  if (parameters.repeated('response_type')) return twice('response_type')
  if (!responseType) return missing('response_type')
  if (responseType !== 'code') {
    const description = 'response_type must be code'
    return { error: 'unsupported_response_type', description, reason: 'response_type_unsupported' }
  }

  if (parameters.repeated('scope')) return twice('scope')
  if (!words(parameters.get('scope')).every((word) => (scopes as readonly string[]).includes(word))) {
    const description = `scope may hold ${scopes.join(', ')} and nothing else`
    return { error: 'invalid_scope', description, reason: 'scope_not_allowed' }
  }

  if (!parameters.get('state')) return missing('state')

  const challenge = parameters.get('code_challenge')
  if (parameters.repeated('code_challenge')) return twice('code_challenge')
  if (!challenge) return missing('code_challenge')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    return invalid('code_challenge must be the base64url form of a SHA-256 digest: 43 characters without padding')
  }
  if (parameters.repeated('code_challenge_method')) return twice('code_challenge_method')
  if (parameters.get('code_challenge_method') !== 'S256') return invalid('code_challenge_method must be S256')

  const nonce = parameters.get('nonce') ?? ''
  if (parameters.repeated('nonce')) return twice('nonce')
  if (characters(nonce) > specLimits.nonceCharacters) {
    return invalid(`nonce is longer than ${specLimits.nonceCharacters} characters`)
  }
  if (nonce.includes('\0')) return invalid('nonce must not contain the character U+0000')
  return faultOfOpenId(parameters, invalid)
}

/** OpenID Connect Core 3.1.2.1 and 6. */
function faultOfOpenId(parameters: Parameters, invalid: (description: string) => Fault): Fault | null {
  const twice = parameters.repeated('prompt', 'max_age', 'login_hint', 'id_token_hint', 'request', 'request_uri')
  if (twice) return { ...invalid(`${twice} was sent more than once`), reason: 'parameter_repeated' }
  const prompt = words(parameters.get('prompt'))
  if (prompt.includes('none') && prompt.length > 1) return invalid('prompt=none cannot be combined with another prompt')
  if (!/^(\d{1,15})?$/.test(parameters.get('max_age') ?? '')) return invalid('max_age must be a number of seconds')
  for (const name of ['request', 'request_uri'] as const) {
    if (parameters.get(name)) return { ...invalid(`${name} is not supported`), error: `${name}_not_supported` }
  }
  return null
}

/**
 * "Characters" of the spec are Unicode code points: what a person counts is close to it, and unlike UTF-16 units or
 * bytes it does not depend on how a program happens to store text.
 */
export function characters(text: string): number {
  // A code point is one or two units, so a longer text need not be walked through.
  return text.length > 4_096 ? text.length : [...text].length
}

function words(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(' ').filter(Boolean))]
}

function isPrompt(word: string): word is Prompt {
  return (prompts as readonly string[]).includes(word)
}
