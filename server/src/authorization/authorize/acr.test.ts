import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Acr, acrOf, knownAcrs, needsStepUp } from './acr.ts'

const mf: Acr = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'
const password = ['pwd']
const code = ['pwd', 'otp', 'mfa']
const passkey = ['hwk', 'user', 'mfa']

for (const [methods, asked, expected] of [
  [password, [], null],
  [password, ['phr'], null],
  [code, [], mf],
  [code, ['phr'], mf],
  [code, ['phr', mf], mf],
  [passkey, [], 'phr'],
  [passkey, [mf], mf],
  [passkey, [mf, 'phr'], mf],
  [['swk', 'user', 'mfa'], [], 'phr'],
  [['hwk'], [], null],
] as [string[], Acr[], Acr | null][]) {
  it(`decision 6.69: ${methods} when asked for ${asked.join(' ') || 'nothing'} → acr ${expected}`, () =>
    assert.equal(acrOf(methods, asked), expected))
}

it('decision 6.69: values that are unknown or repeated are left out', () => {
  assert.deepEqual(knownAcrs(['1', 'phr', 'phr', '', mf, 'phrh']), ['phr', mf])
})

const created_at = new Date('2026-03-01T12:00:00Z')
const before = new Date('2026-03-01T11:59:59Z')

for (const [title, asked, methods, proved_at, has, expected] of [
  ['nothing is asked for', [], password, null, 'passkey', false],
  ['the account has none', ['phr'], password, null, null, false],
  ['the account has an app', [mf], password, null, 'app', true],
  ['an app is not enough', ['phr'], password, null, 'app', false],
  ['the account has a passkey', ['phr'], code, null, 'passkey', true],
  ['it was presented', [mf], code, null, 'passkey', false],
  ['the less preferred was presented', ['phr', mf], code, null, 'passkey', false],
  ['another was presented for this request', ['phr'], code, created_at, 'passkey', false],
  ['another was presented before', ['phr'], code, before, 'passkey', true],
] as [string, Acr[], string[], Date | null, 'passkey' | 'app' | null, boolean][]) {
  it(`decision 6.69: ${title} → ${expected ? 'present one first' : 'go on'}`, () =>
    assert.equal(needsStepUp({ acr_values: asked, created_at }, { methods, proved_at }, has), expected))
}
