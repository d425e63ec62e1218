import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { it, type TestContext } from 'node:test'
import { digest } from '../platform/secrets/secrets.ts'
import { verifierMatches } from './authorize/pkce.ts'
import { judgeClient } from './token/client-authentication.ts'

/** The first argument of every call from now on, until the test ends. */
function spyOnTimingSafeEqual(t: TestContext): Buffer[] {
  const compared: Buffer[] = []
  const original = crypto.timingSafeEqual
  t.mock.method(crypto, 'timingSafeEqual', (a: Buffer, b: Buffer) => {
    compared.push(Buffer.from(a))
    return original(a, b)
  })
  // Named imports of `timingSafeEqual` follow the mock only after this.
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  return compared
}

it('client secrets are compared in constant time, all of them, whichever one is right', (t) => {
  const compared = spyOnTimingSafeEqual(t)
  const client_id = '0190f8c5-0000-7000-8000-000000000001'
  const client_secret = 'lbs_right'
  const [current, old] = [digest(client_secret), digest('lbs_rotated')]
  const judge = (secrets: Buffer | null) => {
    const stored = secrets && { client_id, enabled: true, id_token_alg: 'RS256' as const, secrets }
    return judgeClient(stored, { client_id, client_secret })
  }
  judge(Buffer.concat([current, old]))
  assert.deepEqual(compared.splice(0), [current, old], 'the right one first')
  judge(Buffer.concat([old, current]))
  assert.deepEqual(compared.splice(0), [old, current], 'the right one last')
  for (const wrong of [old, null]) {
    assert.throws(() => judge(wrong), { code: 'invalid_client' })
    assert.equal(compared.splice(0).length, 1, wrong ? 'a wrong secret' : 'an unknown client costs the same')
  }
})

it('a code verifier is compared in constant time', (t) => {
  const compared = spyOnTimingSafeEqual(t)
  const verifier = 'v'.repeat(43)
  const challenge = digest(verifier).toString('base64url')
  assert.equal(verifierMatches(verifier, challenge), true)
  assert.equal(verifierMatches(`${verifier.slice(1)}w`, challenge), false)
  assert.equal(compared.length, 2)
})
