import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { challengeMethod, isChallenge, verifierMatches } from './pkce.ts'

// RFC 7636 appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('2.2 PKCE', () => {
  it('the only method is S256', () => assert.equal(challengeMethod, 'S256'))

  for (const [title, text, expected] of [
    ['the example of RFC 7636', challenge, true],
    ['42 characters', 'a'.repeat(42), false],
    ['44 characters', 'a'.repeat(44), false],
    ['with padding', `${'a'.repeat(42)}=`, false],
    ['base64 instead of base64url', `${'a'.repeat(42)}+`, false],
    ['a line break at its end', `${challenge}\n`, false],
    ['something before it', `=${challenge}`, false],
    ['nothing', '', false],
  ] as const) {
    it(`a challenge: ${title} → ${expected}`, () => assert.equal(isChallenge(text), expected))
  }

  const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
  for (const [title, text, of, expected] of [
    ['the example of RFC 7636', verifier, challenge, true],
    ['another verifier', 'a'.repeat(43), challenge, false],
    ['every unreserved character, 128 long', '-._~AZaz09'.repeat(12).padEnd(128, 'x'), null, true],
    ['129 characters', 'a'.repeat(129), null, false],
    ['43 characters', 'a'.repeat(43), null, true],
    ['42 characters', 'a'.repeat(42), null, false],
    ['a reserved character at its end', `${'a'.repeat(43)}!`, null, false],
    ['a reserved character at its start', `!${'a'.repeat(43)}`, null, false],
    ['a challenge that is longer', verifier, `${challenge}A`, false],
    ['a challenge that is shorter', verifier, challenge.slice(1), false],
  ] as const) {
    it(`a verifier: ${title} → ${expected}`, () => assert.equal(verifierMatches(text, of ?? hash(text)), expected))
  }
})
