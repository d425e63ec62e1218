import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { signature256 } from './signing-threads.ts'

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

describe('decision 6.18 signing off the main thread', () => {
  it('2,000 inputs at once: each gets its own signature, short and long ECDSA integers among them', async () => {
    const inputs = Array.from({ length: 2_000 }, (_, n) => `header.claims-${n}`)
    const signatures = await Promise.all(inputs.map((input) => signature256(elliptic.privateKey, input)))
    for (const [index, signature] of signatures.entries()) {
      const key = { key: elliptic.publicKey, dsaEncoding: 'ieee-p1363' as const }
      assert.ok(verify('sha256', Buffer.from(inputs[index]!), key, Buffer.from(signature, 'base64url')))
    }
  })

  it('two keys at the same time', async () => {
    const [es, rs] = await Promise.all([signature256(elliptic.privateKey, 'one'), signature256(rsa.privateKey, 'two')])
    assert.equal(Buffer.from(es, 'base64url').length, 64)
    assert.ok(verify('sha256', Buffer.from('two'), rsa.publicKey, Buffer.from(rs, 'base64url')))
  })

  it('keys in turns: each input is signed with its own key', async () => {
    for (let n = 0; n < 12; n += 1) {
      const pairs = n % 2 === 0 ? [elliptic, rsa] : [rsa, elliptic]
      const signatures = await Promise.all(pairs.map(({ privateKey }) => signature256(privateKey, `input ${n}`)))
      for (const [index, { publicKey }] of pairs.entries()) {
        const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
        const signature = Buffer.from(signatures[index]!, 'base64url')
        assert.ok(verify('sha256', Buffer.from(`input ${n}`), key, signature))
      }
    }
  })

  it('a key that cannot sign fails its own caller only', async () => {
    await assert.rejects(signature256(elliptic.publicKey, 'one'))
    assert.equal(Buffer.from(await signature256(elliptic.privateKey, 'one'), 'base64url').length, 64)
  })
})
