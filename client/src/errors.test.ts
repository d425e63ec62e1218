import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AccessDenied,
  CallbackDiscarded,
  DeviceRemoved,
  LandbridgeError,
  NetworkError,
  oauthCodes,
  ReconnectRequired,
  WebhookRefused,
} from './errors.ts'

// As the CommonJS build beside the ES modules: the same classes once more.
const copy = (await import(`${new URL('./errors.ts', import.meta.url).href}?copy`)) as typeof import('./errors.ts')

describe('partner kit: errors', () => {
  it('an error is an instance of the same class in another copy of the kit, and of no other class', () => {
    assert.notEqual(copy.NetworkError, NetworkError)
    const error: unknown = new copy.NetworkError('timeout', 'Late.', { cause: 1 })
    assert.ok(error instanceof NetworkError && error instanceof LandbridgeError && error instanceof Error)
    // Narrowed by the compiler as well.
    assert.deepEqual([error.code, error.cause], ['timeout', 1])
    assert.ok(!(error instanceof ReconnectRequired))
    assert.ok(!(new copy.LandbridgeError('unexpected', 'x') instanceof NetworkError))
    assert.ok(new copy.WebhookRefused('signature_missing', 'x') instanceof WebhookRefused)
  })

  it('what is none of the kit is no instance; a class of yours is what it extends', () => {
    for (const value of [null, undefined, 1, 'x', {}, new Error('x'), Object.create(null), { constructor: 1 }]) {
      assert.ok(!((value as unknown) instanceof LandbridgeError), String(value === null))
    }
    class Mine extends NetworkError {}
    const mine = new Mine('network_error', 'x')
    assert.ok(mine instanceof Mine && mine instanceof NetworkError && mine instanceof LandbridgeError)
    assert.ok(!(new NetworkError('network_error', 'x') instanceof Mine))
  })

  it('each class is one of its own, by its name', () => {
    const classes = {
      LandbridgeError,
      NetworkError,
      CallbackDiscarded,
      ReconnectRequired,
      DeviceRemoved,
      WebhookRefused,
    }
    const errors = [...Object.values(classes).map((type) => new type('timeout', 'Late.')), new AccessDenied()]
    assert.deepEqual(
      errors.map(({ name }) => name),
      [...Object.keys(classes), 'AccessDenied'],
    )
    for (const type of [...Object.values(classes).slice(1), AccessDenied])
      assert.equal(errors.filter((error) => error instanceof type).length, 1, type.name)
    const { code, message } = new AccessDenied()
    assert.deepEqual([code, message], ['access_denied', 'The person declined.'])
  })

  it('another version of the kit knows a class by its name', () => {
    const kind = Symbol.for('@landbridge/client kind')
    for (const type of [LandbridgeError, NetworkError, AccessDenied, CallbackDiscarded])
      assert.equal(Reflect.get(type, kind), type.name)
    for (const type of [ReconnectRequired, DeviceRemoved, WebhookRefused])
      assert.equal(Reflect.get(type, kind), type.name)
  })

  it('an error has what the service said, and null or nothing for the rest', () => {
    const said = { status: 429, details: [{ field: 'a', message: 'b' }], requestId: 'r', retryAfterSeconds: 2 }
    const values = ({ code, status, details, requestId, retryAfterSeconds }: LandbridgeError) => {
      return { code, status, details, requestId, retryAfterSeconds }
    }
    const error = new LandbridgeError('too_many_requests', 'Wait.', said)
    assert.deepEqual(values(error), { code: 'too_many_requests', ...said })
    assert.equal('cause' in error, false)
    const none = { code: 'unexpected', status: null, details: [], requestId: null, retryAfterSeconds: null }
    assert.deepEqual(values(new LandbridgeError('unexpected', 'x')), none)
  })

  it('7.2 to 7.5: the codes of the OAuth endpoints', () => {
    const authorization = ['access_denied', 'invalid_request', 'invalid_scope', 'unsupported_response_type']
    const silent = ['consent_required', 'interaction_required', 'login_required']
    const token = ['invalid_client', 'invalid_grant', 'server_error', 'unsupported_grant_type']
    const bearer = ['insufficient_scope', 'invalid_token']
    assert.deepEqual([...oauthCodes], [...authorization, ...silent, ...token, ...bearer].sort())
  })
})
