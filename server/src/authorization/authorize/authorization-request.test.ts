import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Parameters } from '../../platform/http/form.ts'
import { judgeAuthorizationRequest } from './authorization-request.ts'

const application = { client_id: 'app', redirect_uris: ['https://app.example/cb'], enabled: true }
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const good = {
  client_id: 'app',
  redirect_uri: 'https://app.example/cb',
  response_type: 'code',
  scope: 'openid email',
  state: 'xyz',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}
const bare = { scope: ['openid', 'email'], state: 'xyz', code_challenge: challenge }
const noHints = { nonce: null, prompt: [], max_age: null, acr_values: [], login_hint: null, id_token_hint: null }

type Sent = Record<string, string | string[] | undefined>

function judge(change: Sent, found: typeof application | undefined = application) {
  const pairs = Object.entries({ ...good, ...change }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, each]),
  )
  return judgeAuthorizationRequest(new Parameters(new URLSearchParams(pairs).toString()), found)
}

function proceeds(change: Sent) {
  const verdict = judge(change)
  assert.equal(verdict.verdict, 'proceed', JSON.stringify(verdict))
  return verdict.verdict === 'proceed' ? verdict.request : assert.fail()
}

describe('4.1 an authorization request that is right', () => {
  it('has the parameters as they were sent, and nothing for those that were not', () => {
    const { client_id, redirect_uri } = good
    assert.deepEqual(judge({}), {
      verdict: 'proceed',
      application,
      request: { client_id, redirect_uri, ...bare, ...noHints },
    })
  })

  for (const [title, change, expected] of [
    ['no scope', { scope: undefined }, { scope: [] }],
    ['a state of 512 characters', { state: 'é'.repeat(512) }, { state: 'é'.repeat(512) }],
    ['512 characters outside the BMP', { state: '🙂'.repeat(512) }, { state: '🙂'.repeat(512) }],
    ['a nonce of 512 characters', { nonce: '🙂'.repeat(512) }, { nonce: '🙂'.repeat(512) }],
    [
      'every prompt but none',
      { prompt: 'login consent select_account' },
      { prompt: ['login', 'consent', 'select_account'] },
    ],
    ['prompt=none', { prompt: 'none' }, { prompt: ['none'] }],
    ['an unknown prompt, which is ignored', { prompt: 'create login' }, { prompt: ['login'] }],
    ['max_age=0', { max_age: '0' }, { max_age: 0 }],
    ['max_age', { max_age: '3600' }, { max_age: 3600 }],
    ['max_age of 15 digits: what the column holds', { max_age: '9'.repeat(15) }, { max_age: 2_147_483_647 }],
    ['max_age as large as the column holds', { max_age: '2147483647' }, { max_age: 2_147_483_647 }],
    ['a hint of 254 characters', { login_hint: 'a'.repeat(254) }, { login_hint: 'a'.repeat(254) }],
    ['a longer hint, cut', { login_hint: 'a'.repeat(255) }, { login_hint: 'a'.repeat(254) }],
    ['a hint with U+0000, which is removed', { login_hint: 'a\0b\0' }, { login_hint: 'ab' }],
    ['an id_token_hint', { id_token_hint: 'a.b.c' }, { id_token_hint: 'a.b.c' }],
    ['empty parameters, as if omitted', { nonce: '', request: '', max_age: '' }, {}],
  ] as [string, Sent, object][]) {
    it(title, () => {
      const { client_id, redirect_uri, ...rest } = proceeds(change)
      assert.deepEqual(rest, { ...bare, ...noHints, ...expected })
    })
  }
})

describe('7.1 an error page where no redirect URI can be trusted', () => {
  const unknown = 'The application that sent you here is unknown.'
  for (const [title, change, error, reason, sentence] of [
    [
      'client_id twice',
      { client_id: ['app', 'app'] },
      'invalid_request',
      'parameter_repeated',
      /client_id more than once/,
    ],
    ['no client_id', { client_id: undefined }, 'invalid_client', undefined, /does not name an application/],
    [
      'redirect_uri twice',
      { redirect_uri: ['https://a', 'https://b'] },
      'invalid_request',
      'parameter_repeated',
      /redirect_uri more/,
    ],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request', 'redirect_uri_missing', /redirect_uri is missing/],
    ['state twice', { state: ['a', 'a'] }, 'invalid_request', 'parameter_repeated', /state more than once/],
    [
      'a state of 513 characters',
      { state: '🙂'.repeat(513) },
      'invalid_request',
      'state_too_long',
      /more than 512 characters/,
    ],
    [
      'a state too long to count',
      { state: 'a'.repeat(9_000) },
      'invalid_request',
      'state_too_long',
      /more than 512 characters/,
    ],
  ] as [string, Sent, string, string | undefined, RegExp][]) {
    it(title, () => {
      const { sentence: text, ...rest } = judge(change) as { sentence: string }
      assert.match(text, sentence)
      assert.deepEqual(rest, { verdict: 'page', error, ...(reason ? { reason } : {}) })
    })
  }

  it('an application that does not exist', () => {
    assert.deepEqual(judgeAuthorizationRequest(new Parameters('client_id=other'), undefined), {
      verdict: 'page',
      error: 'invalid_client',
      sentence: unknown,
    })
  })

  it('an application that is disabled', () => {
    const { sentence, ...rest } = judge({}, { ...application, enabled: false }) as { sentence: string }
    assert.match(sentence, /disabled/)
    assert.deepEqual(rest, { verdict: 'page', error: 'invalid_client', reason: 'application_disabled' })
  })

  it('a redirect_uri that is not registered, which only the log of the partner repeats', () => {
    const { sentence, ...rest } = judge({ redirect_uri: 'https://app.example/cb/' }) as { sentence: string }
    assert.match(sentence, /not registered/)
    assert.deepEqual(rest, {
      verdict: 'page',
      error: 'invalid_request',
      reason: 'redirect_uri_not_registered',
      detail: 'redirect_uri=https://app.example/cb/',
    })
  })
})

describe('7.2 an error that goes to the application', () => {
  const twice = [
    ...['response_type', 'scope', 'code_challenge', 'code_challenge_method', 'nonce'],
    ...['prompt', 'max_age', 'login_hint', 'id_token_hint', 'request', 'request_uri'],
  ]
  for (const [change, error, reason, description] of [
    ...twice.map((name) => [
      { [name]: ['a', 'a'] },
      'invalid_request',
      'parameter_repeated',
      `${name} was sent more than once`,
    ]),
    ...['response_type', 'code_challenge'].map((name) => [
      { [name]: '' },
      'invalid_request',
      'parameter_missing',
      `${name} is missing`,
    ]),
    [{ state: '' }, 'invalid_request', 'parameter_missing', 'state is missing'],
    [
      { response_type: 'token' },
      'unsupported_response_type',
      'response_type_unsupported',
      'response_type must be code',
    ],
    [{ scope: 'openid admin' }, 'invalid_scope', 'scope_not_allowed', 'scope accepts only openid, profile, email'],
    [{ code_challenge: 'short' }, 'invalid_request', 'parameter_invalid', /43 characters without padding/],
    [{ code_challenge_method: 'plain' }, 'invalid_request', 'parameter_invalid', 'code_challenge_method must be S256'],
    [{ code_challenge_method: '' }, 'invalid_request', 'parameter_invalid', 'code_challenge_method must be S256'],
    [{ nonce: '🙂'.repeat(513) }, 'invalid_request', 'parameter_invalid', 'nonce is longer than 512 characters'],
    [{ nonce: 'a\0' }, 'invalid_request', 'parameter_invalid', /U\+0000/],
    [{ prompt: 'none login' }, 'invalid_request', 'parameter_invalid', /prompt=none cannot be combined/],
    [{ max_age: '-1' }, 'invalid_request', 'parameter_invalid', /max_age must be a number/],
    [{ max_age: '1.5' }, 'invalid_request', 'parameter_invalid', /max_age must be a number/],
    [{ max_age: '9'.repeat(16) }, 'invalid_request', 'parameter_invalid', /max_age must be a number/],
    [{ request: 'jwt' }, 'request_not_supported', 'parameter_invalid', 'request is not supported'],
    [{ request_uri: 'urn:x' }, 'request_uri_not_supported', 'parameter_invalid', 'request_uri is not supported'],
    // A client with a request object sends nothing twice that is in it.
    [
      { request: 'jwt', response_type: '', scope: 'x', code_challenge: '', code_challenge_method: '', max_age: '-1' },
      'request_not_supported',
      'parameter_invalid',
      'request is not supported',
    ],
  ] as [Sent, string, string, string | RegExp][]) {
    it(`${JSON.stringify(change).slice(0, 60)} → ${error}`, () => {
      const { description: text, ...rest } = judge(change) as { description: string }
      if (typeof description === 'string') assert.equal(text, description)
      else assert.match(text, description)
      const state = change.state === '' ? null : 'xyz'
      assert.deepEqual(rest, { verdict: 'redirect', redirect_uri: good.redirect_uri, state, error, reason })
    })
  }
})
