// The black-box requests that both get, and what of a response is compared.
export interface Contender {
  name: string
  paths: Record<'authorize' | 'token' | 'revoke' | 'userinfo' | 'discovery' | 'jwks', string>
  client_id: string
  client_secret: string
  redirect_uri: string
  /** A fresh code for `verifier`'s challenge, scope `openid email` with a refresh token to come. */
  newCode(): Promise<string>
}

export const verifier = 'v'.repeat(43)
export const challenge = '7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM'

type Fields = Record<string, string> | [string, string][]

export class Caller {
  readonly on: Contender

  constructor(contender: Contender) {
    this.on = contender
  }

  get basic(): Record<string, string> {
    return { authorization: `Basic ${btoa(`${this.on.client_id}:${this.on.client_secret}`)}` }
  }

  async post(path: keyof Contender['paths'], fields: Fields, headers: Record<string, string> = this.basic) {
    const body = new URLSearchParams(fields)
    return await summarize(fetch(this.on.paths[path], { method: 'POST', headers, body, redirect: 'manual' }))
  }

  async get(path: keyof Contender['paths'], query: Fields = {}, headers: Record<string, string> = {}) {
    const search = new URLSearchParams(query).toString()
    return await summarize(fetch(`${this.on.paths[path]}${search && `?${search}`}`, { headers, redirect: 'manual' }))
  }

  async exchange(changes: Record<string, string> = {}, headers?: Record<string, string>) {
    const code = await this.on.newCode()
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.on.redirect_uri,
      code_verifier: verifier,
    }
    return await this.post('token', { ...fields, ...changes }, headers)
  }

  async authorize(changes: Record<string, string | undefined>) {
    const { client_id, redirect_uri } = this.on
    const all: Record<string, string | undefined> = {
      ...{ client_id, redirect_uri, response_type: 'code', scope: 'openid email', state: 's' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', ...changes },
    }
    const present = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return await this.get('authorize', present)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was returned
type Summarized = { status: number; headers: Headers; body: any; summary: string }

/** Status, error and challenge: what a client branches on. Descriptions may differ and may change (7.3). */
async function summarize(pending: Promise<Response>): Promise<Summarized> {
  const response = await pending
  const text = await response.text()
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    // A page.
  }
  const { status, headers } = response
  const location = headers.get('location')
  const redirected = location ? new URL(location, response.url) : null
  const redirectError =
    redirected?.searchParams.get('error') ?? new URLSearchParams(redirected?.hash.slice(1)).get('error')
  const error = (body as { error?: string }).error ?? redirectError
  const summary = [status >= 300 && status < 400 ? 'redirect' : String(status), error, headers.get('www-authenticate')]
  return {
    status,
    headers,
    body,
    summary: summary.filter(Boolean).join(' ').replaceAll(new URL(response.url).origin, '<issuer>'),
  }
}

export interface Case {
  title: string
  ask(caller: Caller): Promise<string>
  /** Why the two differ; absent where they must not. */
  why?: string
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const cases: Case[] = [
  { title: 'code exchange', ask: async (c) => (await c.exchange()).summary },
  {
    title: 'members of the token response',
    ask: async (c) =>
      Object.keys((await c.exchange()).body)
        .toSorted()
        .join(' '),
  },
  {
    title: 'code exchange, headers',
    ask: async (c) => {
      const { headers } = await c.exchange()
      return `${headers.get('cache-control')} ${headers.get('pragma')}`
    },
    why: 'RFC 6749 section 5.1 wants `Pragma: no-cache` as well, and contract 4.2 names it.',
  },
  { title: 'code unknown', ask: async (c) => (await c.exchange({ code: 'unknown' })).summary },
  {
    title: 'code used again',
    ask: async (c) => {
      const code = await c.on.newCode()
      await c.exchange({ code })
      return (await c.exchange({ code })).summary
    },
  },
  {
    title: 'tokens after the code was used again',
    ask: async (c) => {
      const code = await c.on.newCode()
      const first = await c.exchange({ code })
      await c.exchange({ code })
      return (await c.get('userinfo', {}, bearer(first.body.access_token))).status === 200 ? 'stay' : 'revoked'
    },
    why: 'Contract 3: a used code stays used and gives invalid_grant, no more. RFC 6749 section 4.1.2 says SHOULD revoke; ours leaves an audit event.',
  },
  { title: 'verifier mismatch', ask: async (c) => (await c.exchange({ code_verifier: 'w'.repeat(43) })).summary },
  {
    title: 'right verifier after a wrong one',
    ask: async (c) => {
      const code = await c.on.newCode()
      await c.exchange({ code, code_verifier: 'w'.repeat(43) })
      return (await c.exchange({ code })).summary
    },
  },
  {
    title: 'verifier missing',
    ask: async (c) => (await c.exchange({ code_verifier: '' })).summary,
    why: 'An empty parameter is a missing one (RFC 6749 section 3.1), and 7.3 gives invalid_request for that.',
  },
  {
    title: 'redirect_uri differs',
    ask: async (c) => (await c.exchange({ redirect_uri: 'https://x.example' })).summary,
  },
  { title: 'grant_type unknown', ask: async (c) => (await c.exchange({ grant_type: 'password' })).summary },
  { title: 'grant_type missing', ask: async (c) => (await c.exchange({ grant_type: '' })).summary },
  {
    title: 'wrong secret, HTTP Basic',
    ask: async (c) => (await c.exchange({}, { authorization: `Basic ${btoa(`${c.on.client_id}:wrong`)}` })).summary,
    why: 'Section 5 gives the challenge to the byte: `Basic realm="oauth"`; oidc-provider names its issuer as the realm.',
  },
  {
    title: 'wrong secret, in the body',
    ask: async (c) => (await c.exchange({ client_id: c.on.client_id, client_secret: 'wrong' }, {})).summary,
  },
  {
    title: 'right secret in the body of a client registered for Basic',
    ask: async (c) => {
      const { client_id, client_secret } = c.on
      return (await c.exchange({ client_id, client_secret }, {})).summary
    },
  },
  {
    title: 'no credentials at all',
    ask: async (c) => (await c.exchange({}, {})).summary,
  },
  {
    title: 'same credentials in header and body',
    ask: async (c) => {
      const { client_id, client_secret } = c.on
      return (await c.exchange({ client_id, client_secret })).summary
    },
    why: 'Contract 4.2 refuses only credentials that differ; RFC 6749 section 2.3 says a client must not use two ways.',
  },
  {
    title: 'different credentials in header and body',
    ask: async (c) => (await c.exchange({ client_id: c.on.client_id, client_secret: 'other' })).summary,
  },
  {
    title: 'JSON body',
    ask: async (c) => {
      const response = await fetch(c.on.paths.token, {
        method: 'POST',
        headers: { ...c.basic, 'content-type': 'application/json' },
        body: '{"grant_type":"authorization_code"}',
      })
      return `${response.status} ${((await response.json()) as { error: string }).error}`
    },
  },
  {
    title: 'parameter sent twice',
    ask: async (c) =>
      (
        await c.post('token', [
          ['grant_type', 'refresh_token'],
          ['grant_type', 'refresh_token'],
          ['refresh_token', 'x'],
        ])
      ).summary,
  },
  {
    title: 'refresh',
    ask: async (c) => {
      const { body } = await c.exchange()
      return (await c.post('token', { grant_type: 'refresh_token', refresh_token: body.refresh_token })).summary
    },
  },
  {
    title: 'access token after its refresh token was used again at once',
    ask: async (c) => {
      const { body } = await c.exchange()
      const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
      const next = await c.post('token', fields)
      await c.post('token', fields)
      return (await c.get('userinfo', {}, bearer(next.body.access_token))).status === 200 ? 'stays' : 'revoked'
    },
    why: 'Contract 3: within 60 s it is the retry of a lost response, and the grant stays valid. oidc-provider knows no grace.',
  },
  {
    title: 'refresh with a wider scope',
    ask: async (c) => {
      const { body } = await c.exchange()
      const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token, scope: 'openid email profile' }
      return (await c.post('token', fields)).summary
    },
  },
  { title: 'revoke an unknown token', ask: async (c) => (await c.post('revoke', { token: 'unknown' })).summary },
  { title: 'revoke without a token', ask: async (c) => (await c.post('revoke', {})).summary },
  {
    title: 'refresh token after its access token was revoked',
    ask: async (c) => {
      const { body } = await c.exchange()
      await c.post('revoke', { token: body.access_token })
      return (await c.post('token', { grant_type: 'refresh_token', refresh_token: body.refresh_token })).summary
    },
  },
  {
    title: 'userinfo without a token',
    ask: async (c) => (await c.get('userinfo')).summary,
    why: '7.5 gives the challenge to the byte; oidc-provider offers DPoP besides.',
  },
  {
    title: 'userinfo with a wrong token',
    ask: async (c) => (await c.get('userinfo', {}, bearer('wrong'))).summary,
    why: '7.5 gives the challenge to the byte, without realm and description.',
  },
  {
    title: 'userinfo by POST',
    ask: async (c) => {
      const { body } = await c.exchange()
      return (await c.post('userinfo', {}, bearer(body.access_token))).summary
    },
  },
  {
    title: 'authorize: client_id unknown',
    ask: async (c) => (await c.authorize({ client_id: 'unknown' })).summary.split(' ')[0]!,
  },
  {
    title: 'authorize: redirect_uri not registered',
    ask: async (c) => (await c.authorize({ redirect_uri: 'https://evil.example' })).summary.split(' ')[0]!,
  },
  {
    title: 'authorize: response_type missing',
    ask: async (c) => (await c.authorize({ response_type: undefined })).summary,
  },
  {
    title: 'authorize: response_type token',
    ask: async (c) => (await c.authorize({ response_type: 'token' })).summary,
  },
  {
    title: 'authorize: unknown scope',
    ask: async (c) => (await c.authorize({ scope: 'openid everything' })).summary,
    why: '7.2: a value outside openid, profile, email is invalid_scope. oidc-provider drops what it does not know, as OpenID Connect Core section 3.1.2.1 prefers.',
  },
  {
    title: 'authorize: state missing',
    ask: async (c) => (await c.authorize({ state: undefined })).summary,
    why: '2.2: state is required.',
  },
  {
    title: 'authorize: code_challenge missing',
    ask: async (c) => (await c.authorize({ code_challenge: undefined })).summary,
  },
  { title: 'authorize: plain PKCE', ask: async (c) => (await c.authorize({ code_challenge_method: 'plain' })).summary },
  {
    title: 'authorize: state of 513 characters',
    ask: async (c) => (await c.authorize({ state: 's'.repeat(513) })).summary.split(' ')[0]!,
    why: '2.2 and 7.1: at most 512 characters, else an error page.',
  },
  {
    title: 'authorize: id_token_hint that is no JWT',
    ask: async (c) => (await c.authorize({ id_token_hint: 'nonsense', prompt: 'none' })).summary,
  },
  {
    title: 'authorize: id_token_hint with claims that were changed',
    ask: async (c) => {
      const [head, claims, signature] = (await c.exchange()).body.id_token.split('.')
      const another = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'somebody else' }
      const forged = `${head}.${Buffer.from(JSON.stringify(another)).toString('base64url')}.${signature}`
      return (await c.authorize({ id_token_hint: forged, prompt: 'none' })).summary
    },
  },
  {
    title: 'discovery may be cached',
    ask: async (c) => (await c.get('discovery')).headers.get('cache-control') ?? 'not said',
    why: '4.5: clients cache discovery for 1 hour and the key set for 5 minutes; ours says so.',
  },
]
