import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LandbridgeError, NetworkError, ReconnectRequired, WebhookRefused } from './errors.ts'

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
})
