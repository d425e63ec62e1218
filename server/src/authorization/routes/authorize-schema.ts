import { Type } from 'typebox'

/**
 * For readers of the reference: the endpoint reads its parameters itself, since duplicates and the order of the checks
 * matter (spec 4.1, 7.1, 7.2).
 */
const parameters = Type.Object({
  client_id: Type.String({ description: 'The application. Unknown or disabled: an error page.' }),
  redirect_uri: Type.String({ description: 'A registered one, byte for byte. Otherwise: an error page.' }),
  response_type: Type.Literal('code'),
  scope: Type.Optional(Type.String({ description: 'Of `openid`, `profile`, `email`, with spaces between them.' })),
  state: Type.String({ maxLength: 512 }),
  code_challenge: Type.String({ description: '43 base64url characters.' }),
  code_challenge_method: Type.Literal('S256'),
  nonce: Type.Optional(Type.String({ maxLength: 512 })),
  prompt: Type.Optional(Type.String({ description: '`none`, `login`, `consent`, `select_account`.' })),
  max_age: Type.Optional(Type.String()),
  login_hint: Type.Optional(
    Type.String({ description: 'The email to sign in with. When somebody else is signed in, they are asked again.' }),
  ),
  id_token_hint: Type.Optional(
    Type.String({
      description:
        'An id_token of this application, expired or not: only this person succeeds. Not one of ours: `invalid_request`.',
    }),
  ),
})

const page = (description: string) => ({ description, content: { 'text/html': { schema: Type.String() } } })

const common = {
  tags: ['authorization'],
  response: {
    303: Type.Unsafe<void>({
      type: 'null',
      description:
        'To the consent screen, or back to redirect_uri with `error`, `state` and `error_description` (7.2).',
    }),
    400: page('An error page that shows `invalid_client` or `invalid_request` (7.1).'),
    413: page('The form is too large.'),
    415: page('The body is no form.'),
    429: page('Too many requests came from this address.'),
    500: page('`server_error`: the partner has no customer portal domain (7.1).'),
  },
}

export const authorizeByGet = {
  ...common,
  summary: 'Ask a person for access to an organization',
  querystring: parameters,
}

export const authorizeByPost = {
  ...common,
  summary: 'The same, by a form',
  consumes: ['application/x-www-form-urlencoded'],
  body: parameters,
}
