import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addApp, createPerson, signedIn } from '../../../../test/support/account.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()

it('CVE-2026-3429: where a second factor protects the account, the current password alone changes none', async () => {
  const person = await createPerson(service)
  const browser = await signedIn(service, person)
  await addApp(service, browser)
  const next = 'another long sentence'
  const change = { password: person.password, new_password: next, repeated_password: next }
  service.clock.forward(601)
  assert.doesNotMatch((await browser.get('/account')).body, /name="new_password"/)
  const { status, location } = await browser.post('/account/password', change)
  assert.deepEqual([status, location], [303, '/account/prove?return_to=%2Faccount'])
  const still = await new Browser(service).signIn(person)
  assert.equal(still.status, 303, 'the password is the old one')
})
