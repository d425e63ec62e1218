import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areKnownScopes, narrowScope, scopes, spaceSeparated } from './scope.ts'

describe('2.2 scope', () => {
  it('openid, profile and email exist, and no others', () => {
    assert.deepEqual([...scopes], ['openid', 'profile', 'email'])
    assert.equal(areKnownScopes(['email', 'openid', 'profile']), true)
    assert.equal(areKnownScopes(['openid', 'offline_access']), false)
    assert.equal(areKnownScopes([]), true)
  })

  for (const [text, values] of [
    [undefined, []],
    ['', []],
    ['openid', ['openid']],
    ['  email  openid email ', ['email', 'openid']],
    ['openid\tprofile', ['openid\tprofile']],
  ] as const) {
    it(`${JSON.stringify(text)} is ${JSON.stringify(values)}`, () => assert.deepEqual(spaceSeparated(text), values))
  }

  for (const [title, requested, narrowed] of [
    ['none: all that was granted', undefined, ['openid', 'email']],
    ['the same in another order', 'email openid', ['openid', 'email']],
    ['less', 'email', ['email']],
    ['more', 'openid email profile', null],
    ['another', 'profile', null],
    ['empty: none', '', []],
  ] as const) {
    it(`RFC 6749 section 6: a refresh that asks for ${title}`, () => {
      assert.deepEqual(narrowScope(['openid', 'email'], requested), narrowed)
    })
  }
})
