import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { addApp, addPasskey, createPerson, signedIn } from '../../../../test/support/account.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startSession } from './sessions.ts'

const service = await startHarness()
const { context, sql } = service
const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Where a session can begin; each has a test in `routes/second-factor-routes.test.ts`. A new way needs one, too. */
const ways: Record<string, string[]> = {
  'insert into sessions': ['directory/store/sessions-sql.ts'],
  'insertSession(': ['directory/accounts/sessions.ts', 'directory/store/sessions-sql.ts'],
  'startSession(': ['directory/accounts/open-session.ts', 'directory/accounts/sessions.ts'],
  'openSession(': [
    'directory/accounts/open-session.ts',
    'directory/accounts/passkey-sign-in.ts',
    'directory/accounts/second-factor.ts',
    'directory/accounts/sign-in.ts',
  ],
}

describe('ways to a session', () => {
  it('are these, and all go through the one statement that knows of second factors', async () => {
    const found: Record<string, string[]> = Object.fromEntries(Object.keys(ways).map((text) => [text, []]))
    for await (const name of glob('**/*.ts', { cwd: folder })) {
      if (name.endsWith('.test.ts')) continue
      const code = await readFile(`${folder}/${name}`, 'utf8')
      for (const text of Object.keys(ways)) {
        if (new RegExp(`(?<![A-Za-z])${text.replace('(', '\\(')}`).test(code)) found[text]!.push(name)
      }
    }
    for (const names of Object.values(found)) names.sort()
    assert.deepEqual(found, ways)
  })

  it('without the second factor of the account no session starts, whoever forgets to ask for it', async () => {
    const host = 'landbridge.test'
    for (const add of [addApp.bind(null, service), addPasskey]) {
      const person = await createPerson(service)
      const start = (methods: string[]) => startSession(context, sql, { user_id: person.id, host, methods })
      assert.notEqual(await start(['pwd']), null)
      await add(await signedIn(service, person))
      assert.equal(await start(['pwd']), null)
      assert.equal(await start([]), null)
      assert.notEqual(await start(['pwd', 'otp', 'mfa']), null)
    }
  })

  it('a password that was right before the factor was added opens none afterwards', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    await browser.get('/account/authenticator')
    const host = 'landbridge.test'
    const waiting = await sql.begin(async (tx) => {
      await tx`select from users where id = ${person.id} for no key update`
      await tx`update totp_factors set enabled_at = now() where user_id = ${person.id}`
      const started = startSession(context, sql, { user_id: person.id, host, methods: ['pwd'] })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { started }
    })
    assert.equal(await waiting.started, null)
  })
})
