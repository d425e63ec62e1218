import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { base32, codeOfStep, keyUri, matchingStep, newTotpSecret, stepOf } from './totp.ts'

const secret = base32(Buffer.from('12345678901234567890'))

describe('RFC 6238', () => {
  /** Appendix B, SHA-1; the last six of its eight digits. */
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors) {
    it(`at ${seconds} s the code is ${code}`, () => {
      const at = new Date(seconds * 1000)
      assert.equal(codeOfStep(secret, stepOf(at)), code)
      assert.equal(matchingStep(secret, code, at, 0), stepOf(at))
    })
  }

  it('base32 as in RFC 4648 section 10, without padding', () => {
    const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar']
    const encoded = ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']
    assert.deepEqual(
      texts.map((text) => base32(Buffer.from(text))),
      encoded,
    )
    assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/)
  })
})

describe('which codes are accepted', () => {
  const at = new Date('2026-03-01T12:00:15.000Z')
  const now = stepOf(at)
  const cases: [title: string, code: string, lastStep: number, step: number | null][] = [
    ['of this step', codeOfStep(secret, now), 0, now],
    ['of the step before', codeOfStep(secret, now - 1), 0, now - 1],
    ['of the next step', codeOfStep(secret, now + 1), 0, now + 1],
    ['not two steps before', codeOfStep(secret, now - 2), 0, null],
    ['not two steps ahead', codeOfStep(secret, now + 2), 0, null],
    ['not one that was used', codeOfStep(secret, now), now, null],
    ['not one before one that was used', codeOfStep(secret, now - 1), now, null],
    ['the next after one that was used', codeOfStep(secret, now + 1), now, now + 1],
    ['written in two groups', codeOfStep(secret, now).replace(/(...)/, '$1 '), 0, now],
    ['not an empty one', '', 0, null],
    ['not one of other characters', '١٢٣٤٥٦', 0, null],
    ['not a longer one', `${codeOfStep(secret, now)}0`, 0, null],
  ]
  for (const [title, code, lastStep, step] of cases) {
    it(title, () => assert.equal(matchingStep(secret, code, at, lastStep), step))
  }
})

it('the text of the QR code', () => {
  assert.equal(
    keyUri({ secret: 'ABC', account: 'ada@example.com', issuer: 'Acme: Cloud' }),
    'otpauth://totp/Acme%20%20Cloud:ada%40example.com?secret=ABC&issuer=Acme%3A%20Cloud',
  )
})
