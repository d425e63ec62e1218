import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { hasFreshProof, requireFreshProof } from './proof.ts'
import { presentedSession, readSession } from './sessions.ts'

const service = await startHarness()
const { context, clock } = service
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin: ada })

async function signedIn() {
  const browser = new Browser(service)
  assert.equal((await browser.signIn(ada)).status, 303)
  return browser
}
const sessionOf = async ({ host, headers }: Browser) =>
  (await readSession(context, presentedSession({ host, headers })))!
const isFresh = async (browser: Browser) => hasFreshProof(await sessionOf(browser), clock.now())

describe('decision 6.59: proof of the strongest factor', () => {
  it('a sign-in is one, for ten minutes; the password is another', async () => {
    const browser = await signedIn()
    assert.deepEqual((await sessionOf(browser)).methods, ['pwd'])
    assert.ok(await isFresh(browser))
    clock.forward(599)
    assert.ok(await isFresh(browser))
    clock.forward(1)
    assert.ok(!(await isFresh(browser)))
    const session = await sessionOf(browser)
    assert.throws(() => requireFreshProof(context, session), { status: 403, code: 'proof_needed' })
    const page = await browser.get('/account/prove?return_to=/account%23sessions')
    assert.match(page.body, /name="return_to" value="\/account#sessions"/)
    assert.equal((await browser.post('/account/prove', { password: 'wrong', return_to: '/' })).status, 401)
    assert.ok(!(await isFresh(browser)))
    const proved = await browser.post('/account/prove', { password: ada.password, return_to: '/account#sessions' })
    assert.deepEqual([proved.status, proved.location], [303, '/account#sessions'])
    assert.ok(await isFresh(browser))
    clock.forward(600)
    assert.ok(!(await isFresh(browser)))
  })

  it('is of one session: another browser of the same person is not concerned', async () => {
    const [here, elsewhere] = [await signedIn(), await signedIn()]
    clock.forward(601)
    await here.post('/account/prove', { password: ada.password })
    assert.deepEqual([await isFresh(here), await isFresh(elsewhere)], [true, false])
  })

  it('without a session it leads to signing in; from another site, and elsewhere, it leads nowhere', async () => {
    const visitor = new Browser(service)
    const asked = await visitor.get('/account/prove?return_to=/account')
    assert.equal(asked.location, `/sign-in?return_to=${encodeURIComponent('/account/prove?return_to=%2Faccount')}`)
    assert.equal((await visitor.post('/account/prove', { password: ada.password })).status, 303)
    const browser = await signedIn()
    const foreign = { origin: 'https://evil.test' }
    assert.equal((await browser.post('/account/prove', { password: ada.password }, foreign)).status, 403)
    const form = { password: ada.password, return_to: 'https://evil.test/' }
    assert.equal((await browser.post('/account/prove', form)).location, '/')
  })

  it('is in the audit log, failures too, without the password', async () => {
    const events = async (type: string) => (await service.operator('GET', `/audit-events?type=${type}`)).body.items
    const [proved] = await events('session.proved')
    assert.deepEqual(proved.details.methods, ['pwd'])
    const [failed] = await events('session.proof_failed')
    assert.equal(failed.details.because, 'wrong_password')
    assert.ok(!JSON.stringify([proved, failed]).includes(ada.password))
  })

  it('guessing is limited as at sign-in', async () => {
    const browser = await signedIn()
    const statuses: number[] = []
    for (let n = 0; n < 11; n += 1) statuses.push((await browser.post('/account/prove', { password: 'x' })).status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
  })
})
