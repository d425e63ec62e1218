import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { ownLimits } from '../own-limits.ts'
import { judgePassword, type Weakness } from './password-strength.ts'

const about = ['Ada Lovelace', 'Ada', 'Lovelace', 'ada.lovelace@example.com', 'Landbridge', 'Acme Heating']

const table: [password: string, weakness: Weakness | null][] = [
  ['aaaaaaaaaa', 'repeated'],
  ['abcabcabcabc', 'repeated'],
  ['abcdefghij', 'sequence'],
  ['0123456789', 'sequence'],
  ['1234567890', 'common'],
  ['qwertyuiop', 'common'],
  ['password1234', 'common'],
  ['P@ssw0rd123', 'common'],
  ['drowssap12', 'common'],
  ['Winter2025!', 'common'],
  ['Sommer2026!', 'guessable'],
  ['password password', 'guessable'],
  ['Landbridge2026', 'personal'],
  ['Lovelace1815', 'personal'],
  ['ada.lovelace@example.com', 'personal'],
  ['acme heating', 'personal'],
  ['1985-12-24', 'date'],
  ['a'.repeat(256), 'repeated'],
  ['correct horse battery', null],
  ['a password of my own', null],
  ['kX9#mQ2$vL', null],
  ['ein langer satz', null],
  ['Übergrößenträger 7', null],
  ['密码很长也不容易猜到的一句话', null],
]

describe('decision 6.63: how easily a password is guessed', () => {
  for (const [password, weakness] of table) {
    it(`${password.slice(0, 30)}: ${weakness ?? 'accepted'}`, async () => {
      assert.equal(await judgePassword({ password, about }), weakness)
    })
  }

  it('common passwords of ten characters or more are refused, also with a capital letter or a digit', async () => {
    const common = dictionary['passwords-common'].map(String).filter((password) => password.length >= 10)
    assert.ok(common.length > 1_000)
    // A quarter of them, since all take ten seconds; none of the 1,557 is accepted.
    for (const password of common.filter((_, index) => index % 4 === 0)) {
      assert.ok(await judgePassword({ password, about: [] }), password)
    }
    for (const password of common.filter((_, index) => index % 20 === 0)) {
      const changed = password[0]!.toUpperCase() + password.slice(1)
      assert.ok(await judgePassword({ password: changed, about: [] }), changed)
      assert.ok(await judgePassword({ password: `${password}1`, about: [] }), `${password}1`)
    }
  })

  it('text of any kind gets a verdict, and only the first 72 characters cost', async () => {
    for (const password of ['', '\0', '\u{1F600}'.repeat(300), 'p4$$w0rd'.repeat(1_000), '\ud800'.repeat(20), '"\\']) {
      await judgePassword({ password, about: ['', ' ', '\0', 'x'.repeat(254)] })
    }
  })

  it('the worst passwords do not hold up the main thread', async () => {
    await judgePassword({ password: 'so that the thread runs', about })
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    await Promise.all(Array.from({ length: 10 }, () => judgePassword({ password: 'p4$$w0rd'.repeat(9), about })))
    delay.disable()
    // The tenth of what they take together; on the main thread they would have held it up for all of that time.
    assert.ok(delay.percentile(50) / 1e6 < 50, `${delay.percentile(50) / 1e6} ms`)
  })

  it('more than may wait are refused at once, and afterwards there is room again', async () => {
    const extra = 3
    const asked = Array.from({ length: ownLimits.judgedPasswordsWaiting + extra }, () =>
      judgePassword({ password: 'x', about: [] }),
    )
    const results = await Promise.allSettled(asked)
    const refused = results.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, extra)
    assert.equal((refused[0] as PromiseRejectedResult).reason.status, 503)
    assert.equal(await judgePassword({ password: 'correct horse battery', about: [] }), null)
  })
})
