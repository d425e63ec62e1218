// A whole flow at log level trace; then every secret that was issued is searched in everything the service wrote.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import mqtt from 'mqtt'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { readConsent, readSignIn } from './support/consent.ts'
import { Browser } from './support/form-browser.ts'
import { privateDatabaseUrl, type Service, startService, temporaryDataDir } from './support/service.ts'

/** What was issued, by what it is. */
const secrets = new Map<string, string>()

function issued(what: string, secret: unknown): string {
  assert.ok(typeof secret === 'string' && secret.length >= 8, `${what} was issued`)
  secrets.set(what, secret)
  return secret
}

/** Bodies of refused calls: a sentence that quotes a secret ends in somebody's log. */
const refusals: string[] = []

/** As it is, as an address or a form would write it, and as Postgres prints it from a column of bytes. */
function spellings(secret: string): string[] {
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [...new Set([secret, encodeURIComponent(secret), form, Buffer.from(secret).toString('hex')])]
}

async function call(url: string, method: string, headers: Record<string, string>, body?: unknown) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: text }),
  })
  const responseText = await response.text()
  if (response.status >= 400) refusals.push(responseText)
  const isJson = responseText.startsWith('{')
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any response
  return { status: response.status, body: (isJson ? JSON.parse(responseText) : responseText) as any }
}

async function wholeFlow(service: Service, dataDir: string): Promise<void> {
  const { public_url: url, mqtt_url } = service.ready
  const operator = {
    authorization: issued('operator key', (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim()),
  }
  issued('master key', (await readFile(join(dataDir, 'master.key'), 'utf8')).trim())
  issued('Postgres password', (await readFile(join(dataDir, 'postgres/password'), 'utf8')).trim())
  const api = (path: string) => `${url}/core/v1/operator${path}`

  // The operator's part.
  const ada = { name: 'Ada', email: 'ada@example.com', password: issued('password', 'correct horse battery staple') }
  const portal_domain = new URL(url).host
  const partner = (await call(api('/partners'), 'POST', operator, { name: 'Acme', portal_domain, admin: ada })).body
  const redirect_uri = 'https://app.example.com/callback'
  const applications = api(`/partners/${partner.id}/applications`)
  const client = (await call(applications, 'POST', operator, { name: 'App', redirect_uris: [redirect_uri] })).body
  issued('first client secret', client.client_secret)
  const rotated = await call(api(`/applications/${client.client_id}/secret`), 'POST', operator, {})
  const client_secret = issued('client secret', rotated.body.client_secret)
  const [member] = (await call(api(`/customers/${partner.lab.customer_id}/users`), 'GET', operator)).body.items
  const reset = await call(api(`/users/${member.id}/password-reset`), 'POST', operator)
  issued(
    'one-time link',
    new URL(reset.body.link).pathname.split('/').at(-1) || new URL(reset.body.link).search.slice(1),
  )

  // The person's part.
  const browser = new Browser('network', { host: new URL(url).host })
  const noteCookies = (when: string) => {
    for (const cookie of browser.headers.cookie.split('; ')) {
      const [, name, value = ''] = /^([^=]+)=(.*)$/.exec(cookie) ?? []
      if (value.length > 20) issued(`cookie ${name} ${when}`, value)
    }
  }
  const code_verifier = issued('code verifier', randomBytes(32).toString('base64url'))
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const authorize = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri, scope: 'openid profile email' },
    ...{ state: issued('state', randomBytes(16).toString('hex')), code_challenge, code_challenge_method: 'S256' },
  })
  const return_to = readSignIn(await browser.follow(`/oauth/authorize?${authorize}`))!
  noteCookies('before signing in')
  await browser.signIn({ email: ada.email, password: issued('wrong password', 'not the right one') }, return_to)
  const signedIn = await browser.signIn(ada, return_to)
  noteCookies('signed in')
  const consent = readConsent(await browser.follow(signedIn.location!))
  const request = issued('consent request', consent.request)
  const customer_id = partner.lab.customer_id
  const approved = await browser.post('/consent', { request, customer_id, decision: 'approve' })
  noteCookies('after consent')
  const code = issued('code', new URL(approved.location!).searchParams.get('code'))

  // The application's part, with the mistakes that tempt a log.
  const basic = { authorization: `Basic ${Buffer.from(`${client.client_id}:${client_secret}`).toString('base64')}` }
  issued('Basic credentials', basic.authorization.slice(6))
  const token = async (form: Record<string, string>, headers: Record<string, string> = basic) => {
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(form) })
    const text = await response.text()
    if (!response.ok) refusals.push(text)
    return JSON.parse(text) as Record<string, string>
  }
  const exchange = { grant_type: 'authorization_code', code, redirect_uri }
  await token({ ...exchange, code_verifier: issued('wrong verifier', 'x'.repeat(50)) })
  await token({ ...exchange, code_verifier }, {})
  await token(
    {
      ...exchange,
      code_verifier,
      client_id: client.client_id,
      client_secret: issued('wrong secret', 'lbs_wrong-secret'),
    },
    {},
  )
  const tokens = await token({ ...exchange, code_verifier })
  issued('access token', tokens.access_token)
  issued('id_token', tokens.id_token)
  await token({ ...exchange, code_verifier })
  const refreshed = await token({
    grant_type: 'refresh_token',
    refresh_token: issued('refresh token', tokens.refresh_token),
  })
  await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token! })
  issued('second refresh token', refreshed.refresh_token)
  const bearer = { authorization: `Bearer ${issued('second access token', refreshed.access_token)}` }
  assert.equal((await call(`${url}/oauth/userinfo`, 'GET', bearer)).status, 200)
  assert.equal((await call(`${url}/core/v1/organization/users`, 'GET', bearer)).status, 200)
  await call(`${url}/nowhere/${refreshed.access_token}?token=${refreshed.refresh_token}&code=${code}`, 'GET', bearer)
  await call(`${url}/oauth/token?client_secret=${client_secret}`, 'POST', basic, {
    refresh_token: refreshed.refresh_token,
  })

  // The portal's part.
  const key = await call(`${url}/core/v1/organization/api-keys`, 'POST', browser.headers, { name: 'Key' })
  const organization = { authorization: issued('API key', key.body.key) }
  assert.equal((await call(`${url}/core/v1/organization/info`, 'GET', organization)).status, 200)
  const partnerKey = await call(`${url}/core/v1/partner/api-keys`, 'POST', browser.headers, { name: 'Key' })
  const asPartner = { authorization: issued('partner API key', partnerKey.body.key) }
  const webhook = { url: 'https://hooks.example.com/x', events: ['device.registered'] }
  issued('webhook secret', (await call(`${url}/core/v1/partner/webhooks`, 'POST', asPartner, webhook)).body.secret)
  const model = { name: 'Sensor', authentication_method: 'MAC & Serial Number' }
  const created = (await call(`${url}/core/v1/partner/models`, 'POST', asPartner, model)).body
  const added = await call(`${url}/core/v1/partner/models/${created.id}/hardware-keys`, 'POST', asPartner)
  issued('second hardware key', added.body.hardware_key)

  // The device's part.
  const identity = { mac: '02:00:00:00:00:01', sn: 'S-1', firmware_version: '1.0.0' }
  const hardware = { device_model: created.id, hardware_key: issued('hardware key', created.hardware_key) }
  await call(`${url}/v1/devices`, 'POST', {}, { ...hardware, ...identity, mac: 'wrong' })
  const device = (await call(`${url}/v1/devices`, 'POST', {}, { ...hardware, ...identity })).body
  const access_key = issued('access key', device.access_key)
  const telemetry = { status: 'online', telemetries: { temperature: 21 } }
  const hub = `${device.hub_url}/v1/devices`
  const sent = await call(`${hub}/${device.id}/telemetry`, 'POST', { authorization: access_key }, telemetry)
  assert.equal(sent.status, 200)
  await call(`${hub}/${device.id}/telemetry`, 'POST', { authorization: `Bearer ${access_key}` }, telemetry)
  await call(`${hub}/${device.id}/telemetry`, 'POST', { authorization: access_key }, `{"access_key": "${access_key}", `)
  await call(
    `${hub}/telemetry`,
    'POST',
    {},
    {
      devices: [
        { id: device.id, access_key, ...telemetry },
        { id: 'x', access_key },
      ],
    },
  )
  const options = { username: device.id, password: access_key, clientId: device.id, rejectUnauthorized: false }
  const connection = await mqtt.connectAsync(mqtt_url, options)
  await connection.publishAsync(`v1/devices/${device.id}/telemetry`, JSON.stringify(telemetry), { qos: 1 })
  await connection.endAsync()

  await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: basic,
    body: new URLSearchParams({ token: refreshed.refresh_token! }),
  })
}

function secretsIn(content: string | Buffer): string[] {
  const within = ([, secret]: [string, string]) => spellings(secret).some((text) => content.includes(text))
  return [...secrets].filter(within).map(([what]) => what)
}

/** Files that exist to hold a secret; everything else may hold none. */
const secretFiles = new Set(['master.key', 'operator.key', 'postgres/password'])

describe('decision 10.7: nothing secret is logged, and secrets are stored only as digests', () => {
  it('no secret of a whole flow is in the output at level trace, nor in any file of the data folder', async () => {
    const dataDir = await temporaryDataDir()
    const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_LOG_LEVEL: 'trace' } })
    await wholeFlow(service, dataDir)
    const sql = openDatabase({ url: await privateDatabaseUrl(dataDir), max: 1 })
    const people = await sql`select password_hash from users`
    assert.ok(people.length > 0)
    for (const { password_hash } of people) assert.match(password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    await sql.end()
    assert.equal(await service.stop(), 0)

    const output = service.output()
    assert.ok(output.includes('"msg":"request"'), 'the log has every request')
    assert.deepEqual(secretsIn(output), [])
    assert.ok(refusals.length >= 8, `${refusals.length} calls were refused`)
    assert.deepEqual(secretsIn(refusals.join('\n')), [])

    // A nonce, a state or a challenge is the client's own and is kept as it came; it opens nothing.
    const found: string[] = []
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || secretFiles.has(path.slice(dataDir.length + 1))) continue
      const content = await readFile(path)
      for (const what of secretsIn(content)) if (what !== 'state') found.push(`${what} in ${path}`)
    }
    assert.deepEqual(found, [])
    assert.ok(
      [...secrets.keys()].some((what) => /^cookie landbridge signed in/.test(what)),
      'the session was looked for',
    )
    assert.ok(secrets.size >= 22, `${secrets.size} secrets were looked for`)
  })
})
