import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { masterKey } from './master-key.ts'

describe('master key', () => {
  const key = masterKey(Buffer.alloc(32, 1))

  it('opens what it sealed, and seals the same text differently each time', () => {
    const [one, two] = [key.seal('hardware_key', 'text ü'), key.seal('hardware_key', 'text ü')]
    assert.equal(key.open('hardware_key', one), 'text ü')
    assert.notDeepEqual(one, two)
  })

  it('refuses another purpose, another key and a changed byte', () => {
    const box = key.seal('hardware_key', 'text')
    assert.throws(() => key.open('webhook_secret', box))
    assert.throws(() => masterKey(Buffer.alloc(32, 2)).open('hardware_key', box))
    box[box.length - 1]! ^= 1
    assert.throws(() => key.open('hardware_key', box))
  })

  it('its digests are equal for the same purpose and text only', () => {
    const digest = key.keyedDigest('idempotency', 'text')
    assert.deepEqual(key.keyedDigest('idempotency', 'text'), digest)
    assert.notDeepEqual(key.keyedDigest('idempotency', 'other'), digest)
    assert.notDeepEqual(key.keyedDigest('other', 'text'), digest)
    assert.notDeepEqual(masterKey(Buffer.alloc(32, 2)).keyedDigest('idempotency', 'text'), digest)
  })

  it('what was sealed or stored by an earlier release can still be read', () => {
    const sealed = '8930867a6baad6099b9cf8f3c10f97cb2df0a8f4b061ba8a8fad706856b91e72056c35'
    assert.equal(key.open('hardware_key', Buffer.from(sealed, 'hex')), 'text ü')
    assert.equal(key.seal('hardware_key', 'text ü').length, sealed.length / 2)
    assert.equal(
      key.keyedDigest('idempotency', 'text').toString('hex'),
      '2ab5eb0262ee34e47b4883052b3be15efbebed23127822808f65b5524e967cd7',
    )
  })
})
