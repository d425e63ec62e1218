import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { type CodeFacts, type CodeVerdict, judgeCode } from './code-judgement.ts'

const issued = new Date('2026-03-01T12:00:00.000Z')
const after = (seconds: number) => new Date(issued.getTime() + seconds * 1000)
const verifier = 'a'.repeat(43)
const s256 = (text: string) => createHash('sha256').update(text).digest('base64url')
const code: CodeFacts = {
  redirect_uri: 'https://app.example.com/cb',
  code_challenge: s256(verifier),
  expires_at: after(60),
  used_at: null,
  wrong_verifiers: 0,
  revoked_at: null,
}
const presented = { redirect_uri: code.redirect_uri, code_verifier: verifier }

describe('3 authorization code: judgement', () => {
  const cases: [
    title: string,
    facts: Partial<CodeFacts>,
    parameters: Partial<typeof presented>,
    at: number,
    CodeVerdict,
  ][] = [
    ['a fresh code is exchanged', {}, {}, 0, 'exchange'],
    ['a code in its last millisecond is exchanged', {}, {}, 59.999, 'exchange'],
    ['after 60 s it has expired', {}, {}, 60, 'expired'],
    ['a used one is used, for ever', { used_at: after(1) }, {}, 1000, 'used'],
    ['five wrong verifiers have spent it', { used_at: after(1), wrong_verifiers: 5 }, {}, 2, 'spent'],
    ['four have not', { wrong_verifiers: 4 }, {}, 2, 'exchange'],
    ['its grant was revoked', { revoked_at: after(1) }, {}, 2, 'revoked'],
    ['a redirect_uri with a slash more differs', {}, { redirect_uri: `${code.redirect_uri}/` }, 1, 'redirect_differs'],
    ['another verifier does not match', {}, { code_verifier: 'b'.repeat(43) }, 1, 'verifier_mismatch'],
    ['the challenge itself is no verifier (plain)', {}, { code_verifier: s256(verifier) }, 1, 'verifier_mismatch'],
    [
      'a verifier of 42 characters is none, even where it hashes right',
      { code_challenge: s256('a'.repeat(42)) },
      { code_verifier: 'a'.repeat(42) },
      1,
      'verifier_mismatch',
    ],
    [
      'a verifier of 128 characters is one',
      { code_challenge: s256('-._~'.repeat(32)) },
      { code_verifier: '-._~'.repeat(32) },
      1,
      'exchange',
    ],
    [
      'a verifier of 129 characters is none',
      { code_challenge: s256('a'.repeat(129)) },
      { code_verifier: 'a'.repeat(129) },
      1,
      'verifier_mismatch',
    ],
  ]
  for (const [title, facts, parameters, at, verdict] of cases) {
    it(title, () => assert.equal(judgeCode({ ...code, ...facts }, { ...presented, ...parameters }, after(at)), verdict))
  }
})
