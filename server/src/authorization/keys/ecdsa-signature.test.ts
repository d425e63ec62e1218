import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { joinedSignature } from './ecdsa-signature.ts'

describe('RFC 7518 3.4 ECDSA signature', () => {
  it('2,000 signatures, short and long integers among them, verify in their joined form', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const lengths = new Set<number>()
    for (let n = 0; n < 2_000; n += 1) {
      const text = Buffer.from(`message ${n}`)
      const der = sign('sha256', text, privateKey)
      lengths.add(der.length)
      const joined = joinedSignature(der)
      assert.equal(joined.length, 64)
      assert.ok(verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, joined))
    }
    assert.ok(lengths.size >= 3)
  })
})
