import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownLimits } from '../own-limits.ts'
import { masterKey } from './master-key.ts'
import { hashPassword, standardCost, verifyPassword } from './passwords.ts'
import { isWellFormed, mintSecret, type SecretKind, secretPrefixes } from './secrets.ts'

describe('decision 6.16: the form of a secret', () => {
  const kinds = (Object.keys(secretPrefixes) as SecretKind[]).filter((kind) => kind !== 'webhook_secret')

  it('every kind has its prefix, 256 random bits and a checksum', () => {
    for (const kind of kinds) {
      const secret = mintSecret(kind)
      assert.ok(secret.startsWith(secretPrefixes[kind]))
      assert.match(secret.slice(4), /^[A-Za-z0-9_-]{49}$/)
      assert.ok(isWellFormed(kind, secret))
    }
  })

  it('no two are alike, and one kind never passes for another', () => {
    // More than are drawn at once.
    assert.equal(new Set(Array.from({ length: 1_000 }, () => mintSecret('access_token'))).size, 1_000)
    assert.equal(isWellFormed('refresh_token', mintSecret('access_token')), false)
  })

  it('a single changed character is detected without the database', () => {
    const secret = mintSecret('access_token')
    for (const at of [4, 20, 46, 50]) {
      const changed = secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)
      assert.equal(isWellFormed('access_token', changed), false)
    }
    assert.equal(isWellFormed('access_token', ''), false)
    assert.equal(isWellFormed('access_token', `${secret}A`), false)
  })
})

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
})

describe('decision 6.13: passwords', () => {
  it('decision 10.5: few are hashed at once and a bounded number wait; the rest get 503', async () => {
    const cost = { memory: 8_192, passes: 2, parallelism: 1 }
    const { passwordsAtOnce, passwordsWaiting } = ownLimits
    const extra = 20
    const wanted = Array.from({ length: passwordsAtOnce + passwordsWaiting + extra }, () => hashPassword('x', cost))
    const outcomes = await Promise.allSettled(wanted)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    assert.deepEqual([refused.length, refused[0].status, refused[0].code], [extra, 503, 'overloaded'])
    assert.ok(
      outcomes.slice(0, -extra).every(({ status }) => status === 'fulfilled'),
      'the first to ask',
    )
    assert.ok(await hashPassword('x', cost), 'and afterwards there is room again')
  })

  it('argon2id as a PHC string that verifies only its own password', async () => {
    const hash = await hashPassword('correct horse', standardCost)
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await verifyPassword('correct horse', hash), true)
    assert.equal(await verifyPassword('correct horsf', hash), false)
    assert.equal(await verifyPassword('correct horse', 'not a hash'), false)
  })
})
