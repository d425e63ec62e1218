import { Type } from 'typebox'
import { acrValues } from '../authorize/acr.ts'
import { prompts } from '../authorize/authorization-request.ts'
import { challengeMethod } from '../authorize/pkce.ts'
import { scopes } from '../authorize/scope.ts'
import { specLimits } from '../spec-limits.ts'

const inCode = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ')

/** For the OpenAPI document only: the endpoint reads its parameters itself, because repeats and order matter (decision 6.1, 6.2). */
const parameters = Type.Object(
  {
    client_id: Type.String({ description: 'The application. An unknown or disabled one gets an error page.' }),
    redirect_uri: Type.String({ description: 'A registered URI, byte for byte. Any other gets an error page.' }),
    response_type: Type.Literal('code'),
    scope: Type.Optional(Type.String({ description: `Space-separated: ${inCode(scopes)}.` })),
    state: Type.String({
      maxLength: specLimits.stateCharacters,
      description: 'Comes back unchanged: discard a callback with another one.',
    }),
    code_challenge: Type.String({ description: '43 base64url characters.' }),
    code_challenge_method: Type.Literal(challengeMethod),
    nonce: Type.Optional(Type.String({ maxLength: specLimits.nonceCharacters })),
    prompt: Type.Optional(Type.String({ description: `Space-separated: ${inCode(prompts)}.` })),
    max_age: Type.Optional(Type.String()),
    acr_values: Type.Optional(
      Type.String({
        description: `Space-separated, the preferred first: ${inCode(acrValues)}. A person who can present such a factor is asked for it; \`acr\` of the id_token says what was presented.`,
      }),
    ),
    login_hint: Type.Optional(
      Type.String({
        description: 'The email to sign in with. When somebody else is signed in, they are asked to sign in again.',
      }),
    ),
    id_token_hint: Type.Optional(
      Type.String({
        description:
          'An id_token issued to this application, expired or not. Only its person can succeed; any other token is `invalid_request`.',
      }),
    ),
  },
  { title: 'AuthorizationRequest', description: 'An authorization request with PKCE.' },
)

const page = (description: string) => ({ description, content: { 'text/html': { schema: Type.String() } } })

const common = {
  tags: ['authorization'],
  response: {
    303: Type.Unsafe<void>({
      type: 'null',
      description: 'To the consent screen, or back to redirect_uri with `error`, `state` and `error_description`.',
    }),
    400: page('An error page with `invalid_client` or `invalid_request`.'),
    413: page('The form is too large.'),
    415: page('The body is not a form.'),
    429: page('Too many requests from this address.'),
    500: page('`server_error`: the partner has no customer portal domain.'),
  },
}

export const authorizeByGet = {
  ...common,
  summary: 'Ask a person for access to an organization',
  description:
    'Send the browser here. The person signs in, chooses an organization and comes back to `redirect_uri` with `code`, `state` and `iss`.',
  querystring: parameters,
}

export const authorizeByPost = {
  ...common,
  summary: 'Ask a person for access to an organization, with a form',
  description: 'The same as by GET, for parameters that are too long for an address.',
  consumes: ['application/x-www-form-urlencoded'],
  body: parameters,
}
