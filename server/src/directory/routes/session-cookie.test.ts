import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })
const browser = new Browser(service)
await browser.signIn(admin)
const [, secret] = /(?:^|; )landbridge=([^;]+)/.exec(browser.headers.cookie)!

async function statusesWith(cookie: string | string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const url of ['/account', '/core/v1/session', '/sign-in']) {
    const { statusCode } = await service.app.inject({ url, headers: { host: 'landbridge.test', cookie } })
    statuses.push(statusCode)
  }
  return statuses
}

const signedIn = [200, 200, 303]
const nobody = [303, 401, 200]

describe('CVE-2026-25748: a malformed session cookie is no session, and no error', () => {
  it('the whole one is', async () => {
    assert.deepEqual(await statusesWith(`landbridge=${secret}`), signedIn)
  })

  it('cut off anywhere', async () => {
    for (let length = 0; length < secret!.length; length += 1) {
      assert.deepEqual(await statusesWith(`landbridge=${secret!.slice(0, length)}`), nobody, `${length} characters`)
    }
  })

  const changed: Record<string, string> = {
    'one character longer': `landbridge=${secret}A`,
    'one character changed': `landbridge=${secret!.slice(0, 10)}${secret![10] === 'x' ? 'y' : 'x'}${secret!.slice(11)}`,
    'in other case': `landbridge=${secret!.toUpperCase()}`,
    'of 8 KB': `landbridge=${'a'.repeat(8_192)}`,
    'followed by 8 KB': `landbridge=${secret}${'a'.repeat(8_192)}`,
    'percent-encoded': `landbridge=${[...secret!].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')}`,
    'with a broken percent code': `landbridge=${secret}%`,
    'with bytes that are no UTF-8': `landbridge=${secret}\xff\xfe\x80`,
    'nothing but such bytes': 'landbridge=\xc3\x28\xa0\xa1',
    'with a NUL, encoded': `landbridge=${secret}%00`,
    'under another name': `Landbridge=${secret}`,
    'under the name for https': `__Host-landbridge=${secret}`,
    'without a name': `=${secret}`,
    'without a value': 'landbridge',
    'as the value of another': `x="landbridge=${secret}"`,
    'separated by a comma': `x=1, landbridge=${secret}`,
    'of a prototype': '__proto__=landbridge; constructor=x',
  }
  for (const [way, cookie] of Object.entries(changed)) {
    it(way, async () => assert.deepEqual(await statusesWith(cookie), nobody))
  }

  it('repeated: the same one for page and API, and never two people', async () => {
    const other = 'landbridge=lbw_nonsense'
    for (const cookie of [`landbridge=${secret}; ${other}`, `${other}; landbridge=${secret}`]) {
      const statuses = await statusesWith(cookie)
      assert.ok(
        [signedIn, nobody].some((whole) => whole.join() === statuses.join()),
        statuses.join(),
      )
    }
    const many = Array.from({ length: 200 }, () => other).join('; ')
    assert.deepEqual(await statusesWith(many), nobody)
  })
})
