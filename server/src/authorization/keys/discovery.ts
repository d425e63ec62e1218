import { prompts } from '../authorize/authorization-request.ts'
import { challengeMethod } from '../authorize/pkce.ts'
import { scopes } from '../authorize/scope.ts'

/** OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2: every field that applies. */
export function discoveryDocument(issuer: string) {
  const authMethods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/oauth/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: [challengeMethod],
    claim_types_supported: ['normal'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'iat',
      'exp',
      'auth_time',
      'nonce',
      'at_hash',
      'name',
      'email',
      'email_verified',
      'org_id',
      'org_name',
    ],
    prompt_values_supported: prompts,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
    // RFC 9207: every redirect carries `iss`, so that a client of several services knows which one responded.
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  }
}
