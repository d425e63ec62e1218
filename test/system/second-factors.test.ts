// Second factors of others: Debian's python3-fido2 as client and authenticator, and oathtool for codes.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { codesOn, createPerson, secretOn } from '../support/account.ts'
import { passkeyOptions } from '../support/authenticator.ts'
import { Browser } from '../support/form-browser.ts'
import { startHarness } from '../support/harness.ts'

const service = await startHarness()
await service.app.listen({ host: '127.0.0.1', port: 0 })
const host = `localhost:${(service.app.server.address() as AddressInfo).port}`
const origin = `http://${host}`
service.context.addresses.publicUrl = origin
const browse = () => new Browser('network', { host })

/** Debian's own, whatever comes first in the path: it has Debian's packages. */
const child = spawn('/usr/bin/python3', [fileURLToPath(new URL('fido2/authenticator.py', import.meta.url))], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
after(() => child.kill('SIGKILL'))
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

/** What the client returns for the options of a page, as text; it names the reason when it refuses. */
async function ask(doing: 'create' | 'get', page: string, from = origin): Promise<string> {
  child.stdin.write(`${JSON.stringify({ do: doing, origin: from, options: passkeyOptions(page) })}\n`)
  const { value, done } = await lines.next()
  assert.ok(!done, 'the client has ended')
  return value
}

describe('python3-fido2', () => {
  it('registers with a packed attestation, signs in alone, as second factor, and confirms', async () => {
    const person = await createPerson(service)
    const browser = browse()
    await browser.signIn(person)
    const credential = await ask('create', (await browser.get('/account/passkeys/new')).body)
    const added = await browser.post('/account/passkeys', { name: 'Security key', credential })
    assert.equal(codesOn(added.body).length, 10, added.body)
    assert.match(await ask('create', (await browser.get('/account/passkeys/new')).body), /DEVICE_INELIGIBLE/)

    const alone = browse()
    const signed = await ask('get', (await alone.get('/sign-in')).body)
    const to = { credential: signed, return_to: '/account' }
    assert.equal((await alone.post('/sign-in/passkey', to)).location, '/account')
    assert.match((await alone.get('/account')).body, /Security key/)
    assert.equal((await browse().post('/sign-in/passkey', to)).status, 401, 'once')

    const second = browse()
    assert.equal((await second.signIn(person)).location, '/sign-in/second-factor')
    const presented = await ask('get', (await second.get('/sign-in/second-factor')).body)
    assert.equal((await second.post('/sign-in/second-factor', { credential: presented })).status, 303)

    service.clock.forward(601)
    assert.equal((await second.get('/account/passkeys/new')).status, 303)
    const proof = await ask('get', (await second.get('/account/prove')).body)
    assert.equal((await second.post('/account/prove', { credential: proof })).status, 303)
    assert.equal((await second.get('/account/passkeys/new')).status, 200)
  })

  it('a page on another port of the same name gets nothing that we accept', async () => {
    const page = (await browse().get('/sign-in')).body
    const credential = await ask('get', page, 'http://localhost:1')
    assert.match(credential, /signature/)
    assert.equal((await browse().post('/sign-in/passkey', { credential })).status, 401)
  })

  it('another domain: the client itself refuses', async () => {
    const page = (await browse().get('/sign-in')).body
    assert.match(await ask('get', page, 'https://evil.test'), /BAD_REQUEST/)
  })
})

describe('oathtool', () => {
  const codeAt = (secret: string, seconds = 0) => {
    const at = new Date(service.clock.now().getTime() + seconds * 1000)
    const now = at.toISOString().replace('T', ' ').replace(/\..*/, ' UTC')
    return execFileSync('oathtool', ['--totp', '--base32', '--now', now, secret], { encoding: 'utf8' }).trim()
  }

  it('its codes add the app and sign in, one step earlier or later too, each once', async () => {
    const person = await createPerson(service)
    const browser = browse()
    await browser.signIn(person)
    const secret = secretOn((await browser.get('/account/authenticator')).body)
    const added = await browser.post('/account/authenticator', { totp: codeAt(secret) })
    assert.equal(codesOn(added.body).length, 10)
    const present = async (totp: string) => {
      const visitor = browse()
      await visitor.signIn(person)
      return (await visitor.post('/sign-in/second-factor', { totp })).status
    }
    assert.equal(await present(codeAt(secret)), 401, 'used when it was added')
    assert.equal(await present(codeAt(secret, 30)), 303)
    service.clock.forward(600)
    assert.equal(await present(codeAt(secret, -60)), 401)
    assert.equal(await present(codeAt(secret, 60)), 401)
    assert.equal(await present(codeAt(secret, -30)), 303)
    assert.equal(await present(codeAt(secret)), 303)
    assert.equal(await present(codeAt(secret)), 401)
  })
})
