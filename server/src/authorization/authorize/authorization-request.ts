import type { FailureReason } from '../../events/failure-reasons.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { specLimits } from '../spec-limits.ts'
import { type Acr, knownAcrs } from './acr.ts'
import { challengeMethod, isChallenge } from './pkce.ts'
import { isRegistered } from './redirect-uri.ts'
import { areKnownScopes, scopes, spaceSeparated } from './scope.ts'

export const prompts = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof prompts)[number]

/** The parameters of contract 2.2 and OpenID Connect Core 3.1.2.1, checked. */
export interface AuthorizationRequest {
  client_id: string
  redirect_uri: string
  scope: string[]
  state: string
  code_challenge: string
  nonce: string | null
  prompt: Prompt[]
  max_age: number | null
  acr_values: Acr[]
  login_hint: string | null
  /** Not verified yet: that takes the signing keys. */
  id_token_hint: string | null
}

export interface ApplicationFacts {
  client_id: string
  redirect_uris: string[]
  enabled: boolean
}

/** Contract 7.1: an error page, because no redirect URI can be trusted with the error. */
export interface PageVerdict {
  verdict: 'page'
  error: 'invalid_client' | 'invalid_request'
  sentence: string
  reason?: FailureReason
  /** What was received, for the partner's log only. */
  detail?: string
}

/** Contract 7.2: the error goes to the application. */
export interface RedirectVerdict {
  verdict: 'redirect'
  redirect_uri: string
  state: string | null
  error: string
  description: string
  reason: FailureReason
}

export interface ProceedVerdict<Application> {
  verdict: 'proceed'
  application: Application
  request: AuthorizationRequest
}

/** Contract 4.1: client_id, redirect_uri and the length of state first; then the rest, in the order of decision 6.2. */
export function judgeAuthorizationRequest<Application extends ApplicationFacts>(
  parameters: Parameters,
  found: Application | undefined,
): PageVerdict | RedirectVerdict | ProceedVerdict<Application> {
  const target = readTarget(parameters, found)
  if ('verdict' in target) return target
  const { application, redirect_uri } = target
  const rest = readRest(parameters)
  if ('error' in rest) return { verdict: 'redirect', redirect_uri, state: parameters.get('state') ?? null, ...rest }
  return { verdict: 'proceed', application, request: { client_id: application.client_id, redirect_uri, ...rest } }
}

function readTarget<Application extends ApplicationFacts>(
  parameters: Parameters,
  application: Application | undefined,
): { application: Application; redirect_uri: string } | PageVerdict {
  const page = (error: PageVerdict['error'], sentence: string, reason?: FailureReason): PageVerdict => ({
    verdict: 'page',
    error,
    sentence,
    ...(reason ? { reason } : {}),
  })
  const repeated = (name: string) =>
    page('invalid_request', `The application sent ${name} more than once.`, 'parameter_repeated')

  if (parameters.repeated('client_id')) return repeated('client_id')
  if (!parameters.get('client_id')) return page('invalid_client', 'The request does not name an application.')
  if (!application) return page('invalid_client', 'The application that sent you here is unknown.')
  if (!application.enabled) {
    return page('invalid_client', 'The application that sent you here is disabled.', 'application_disabled')
  }
  if (parameters.repeated('redirect_uri')) return repeated('redirect_uri')
  const redirectUri = parameters.get('redirect_uri')
  if (!redirectUri) {
    const sentence = 'The application did not say where to send you back: redirect_uri is missing.'
    return page('invalid_request', sentence, 'redirect_uri_missing')
  }
  if (!isRegistered(redirectUri, application.redirect_uris)) {
    const sentence =
      'The application wants to send you back to an address that is not registered for it (redirect_uri).'
    return {
      ...page('invalid_request', sentence, 'redirect_uri_not_registered'),
      detail: `redirect_uri=${redirectUri}`,
    }
  }
  if (parameters.repeated('state')) return repeated('state')
  if (characters(parameters.get('state') ?? '') > specLimits.stateCharacters) {
    const sentence = `The application sent a state of more than ${specLimits.stateCharacters} characters.`
    return page('invalid_request', sentence, 'state_too_long')
  }
  return { application, redirect_uri: redirectUri }
}

type RequestError = Pick<RedirectVerdict, 'error' | 'description' | 'reason'>

function invalid(description: string, reason: FailureReason = 'parameter_invalid'): RequestError {
  return { error: 'invalid_request', description, reason }
}

const missing = (name: string) => invalid(`${name} is missing`, 'parameter_missing')
const repeated = (name: string) => invalid(`${name} was sent more than once`, 'parameter_repeated')

function readRest(parameters: Parameters): Omit<AuthorizationRequest, 'client_id' | 'redirect_uri'> | RequestError {
  const unsupported = judgeRequestObject(parameters)
  if (unsupported) return unsupported

  if (parameters.repeated('response_type')) return repeated('response_type')
  const responseType = parameters.get('response_type')
  if (!responseType) return missing('response_type')
  if (responseType !== 'code') {
    const description = 'response_type must be code'
    return { error: 'unsupported_response_type', description, reason: 'response_type_unsupported' }
  }

  if (parameters.repeated('scope')) return repeated('scope')
  const scope = spaceSeparated(parameters.get('scope'))
  if (!areKnownScopes(scope)) {
    const description = `scope accepts only ${scopes.join(', ')}`
    return { error: 'invalid_scope', description, reason: 'scope_not_allowed' }
  }

  const state = parameters.get('state')
  if (!state) return missing('state')

  if (parameters.repeated('code_challenge')) return repeated('code_challenge')
  const challenge = parameters.get('code_challenge')
  if (!challenge) return missing('code_challenge')
  if (!isChallenge(challenge)) {
    return invalid('code_challenge must be a SHA-256 digest in base64url: 43 characters without padding')
  }
  if (parameters.repeated('code_challenge_method')) return repeated('code_challenge_method')
  if (parameters.get('code_challenge_method') !== challengeMethod) {
    return invalid(`code_challenge_method must be ${challengeMethod}`)
  }

  if (parameters.repeated('nonce')) return repeated('nonce')
  const nonce = parameters.get('nonce') ?? null
  if (characters(nonce ?? '') > specLimits.nonceCharacters) {
    return invalid(`nonce is longer than ${specLimits.nonceCharacters} characters`)
  }
  if (nonce?.includes('\0')) return invalid('nonce must not contain the character U+0000')

  const openId = readOpenId(parameters)
  return 'error' in openId ? openId : { scope, state, code_challenge: challenge, nonce, ...openId }
}

/** OpenID Connect Core 6: such a client sends the rest inside the object, so whatever seems to be missing is there. */
function judgeRequestObject(parameters: Parameters): RequestError | null {
  const names = ['request', 'request_uri'] as const
  const twice = parameters.repeated(...names)
  if (twice) return repeated(twice)
  const sent = names.find((name) => parameters.get(name))
  return sent ? { ...invalid(`${sent} is not supported`), error: `${sent}_not_supported` } : null
}

type OpenIdParameters = Pick<AuthorizationRequest, 'prompt' | 'max_age' | 'acr_values' | 'login_hint' | 'id_token_hint'>

/** OpenID Connect Core 3.1.2.1. */
function readOpenId(parameters: Parameters): OpenIdParameters | RequestError {
  const twice = parameters.repeated('prompt', 'max_age', 'acr_values', 'login_hint', 'id_token_hint')
  if (twice) return repeated(twice)
  const prompt = spaceSeparated(parameters.get('prompt'))
  if (prompt.includes('none') && prompt.length > 1) return invalid('prompt=none cannot be combined with another prompt')
  const maxAge = parameters.get('max_age')
  if (maxAge !== undefined && !/^\d{1,15}$/.test(maxAge)) return invalid('max_age must be a number of seconds')
  return {
    prompt: prompt.filter((value) => (prompts as readonly string[]).includes(value)) as Prompt[],
    max_age: maxAge === undefined ? null : Math.min(Number(maxAge), maxSeconds),
    acr_values: knownAcrs(spaceSeparated(parameters.get('acr_values'))),
    login_hint: parameters.get('login_hint')?.replaceAll('\0', '').slice(0, 254) ?? null,
    id_token_hint: parameters.get('id_token_hint') ?? null,
  }
}

/** The largest integer that the column holds. */
const maxSeconds = 2_147_483_647

/**
 * The contract's characters are Unicode code points: close to what a person counts, and unlike UTF-16 units or bytes
 * independent of how a program stores text.
 */
function characters(text: string): number {
  // A code point is one or two units, so a text this long is over every limit without counting.
  return text.length > 4_096 ? text.length : [...text].length
}
