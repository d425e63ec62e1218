import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  digest,
  hint,
  isWellFormed,
  mintSecret,
  type SecretKind,
  sameDigest,
  secretPrefixes,
  withoutSecrets,
} from './secrets.ts'

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

  it('each prefix is one that a scanner may know', () => {
    const prefixes = ['lbq_', 'lbc_', 'lba_', 'lbr_', 'lbs_', 'lbk_', 'lbd_', 'lbh_', 'lbw_', 'lbo_', 'whsec_']
    assert.deepEqual(Object.values(secretPrefixes), prefixes)
  })

  it('what is stored of one stays the same, and is compared as a whole', () => {
    assert.equal(digest('a').toString('hex'), 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb')
    assert.equal(sameDigest(digest('a'), digest('a')), true)
    assert.equal(sameDigest(digest('a'), digest('b')), false)
    assert.equal(sameDigest(digest('a'), digest('a').subarray(1)), false)
  })

  it('what is shown of one is its prefix and a few characters', () => {
    assert.equal(hint('lba_0123456789'), 'lba_012345')
    assert.equal(withoutSecrets('key lbk_01234567 and lbk_0123456'), 'key lbk_… and lbk_0123456')
    assert.equal(withoutSecrets('whsec_+/=-_abcDEF12, lba_x lbr_aaaaaaaaaaaa'), 'whsec_…, lba_x lbr_…')
  })
})
