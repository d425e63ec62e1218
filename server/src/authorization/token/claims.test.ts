import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { claimsOf, idTokenClaims } from './claims.ts'

const ada = {
  user_id: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  email_verified: true,
  customer_id: 'north',
  org_name: 'North',
  belongs: true,
}

describe('2.3 claims', () => {
  for (const [scope, belongs, expected] of [
    [['openid'], true, { sub: 'ada', org_id: 'north', org_name: 'North' }],
    [['openid', 'profile'], true, { sub: 'ada', name: 'Ada', org_id: 'north', org_name: 'North' }],
    [['openid', 'email'], false, { sub: 'ada', email: 'ada@example.com', email_verified: true }],
    [['openid'], false, { sub: 'ada' }],
  ] as const) {
    it(`${scope.join(' ')}, ${belongs ? 'a member' : 'who has left'}`, () => {
      assert.deepEqual(claimsOf({ ...ada, belongs }, scope), expected)
    })
  }

  // OpenID Connect Core 3.1.3.6; the token and hash of its appendix A.3.
  const facts = {
    issuer: 'https://id.example',
    client_id: 'app',
    auth_time: new Date('2026-03-01T11:59:00.999Z'),
    access_digest: createHash('sha256').update('jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y').digest(),
    acr: null,
    amr: null,
    now: new Date('2026-03-01T12:00:00.999Z'),
  }
  const claims = {
    iss: 'https://id.example',
    aud: 'app',
    iat: Date.parse('2026-03-01T12:00:00Z') / 1000,
    exp: Date.parse('2026-03-01T13:00:00Z') / 1000,
    auth_time: Date.parse('2026-03-01T11:59:00Z') / 1000,
    at_hash: '77QmUPtjPfzWtF2AnpK9RQ',
    sub: 'ada',
    org_id: 'north',
    org_name: 'North',
  }

  it('an id_token of a refresh has no nonce', () => {
    assert.deepEqual(idTokenClaims(ada, ['openid'], facts), claims)
    assert.deepEqual(idTokenClaims(ada, ['openid'], { ...facts, nonce: null }), claims)
  })

  it('an id_token says how the person signed in, where it is known', () => {
    const known = { ...facts, acr: 'phr', amr: 'hwk user mfa' }
    const said = { ...claims, acr: 'phr', amr: ['hwk', 'user', 'mfa'] }
    assert.deepEqual(idTokenClaims(ada, ['openid'], known), said)
  })

  it('an id_token of a code has the nonce of its request', () => {
    assert.deepEqual(idTokenClaims(ada, ['openid'], { ...facts, nonce: 'n' }), { ...claims, nonce: 'n' })
  })
})
