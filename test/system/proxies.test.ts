// The proxies of docs/operate.md, as it writes them, in front of the service.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { specLimits } from '../../server/src/authorization/spec-limits.ts'
import { massLimits } from '../../server/src/platform/own-limits.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { newMac, newModel, register, send } from '../support/devices.ts'
import { freePort } from '../support/free-port.ts'
import { startHarness } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-proxies-'))
await chmod(folder, 0o755)
after(() => removeFolder(folder))
const { certificate, privateKey } = await createCertificate([], new Date())
const files = { pem: join(folder, 'landbridge.pem'), key: join(folder, 'landbridge.key') }
await writeFile(files.pem, `${certificate}\n${privateKey}`)
await writeFile(files.key, privateKey)

const publicPort = await freePort()
const publicHost = `localhost:${publicPort}`
const service = await startHarness({
  LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
  LANDBRIDGE_PUBLIC_URL: `https://${publicHost}`,
})
service.context.addresses.publicUrl = `https://${publicHost}`
const behind = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).host
const model = await newModel(service)
const organization = await createOrganization(service)
const operate = await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8')

/** How each is started with the sample, of which only names, ports and files are changed. */
const proxies: Record<string, { language: string; start(sample: string): Promise<ChildProcess> }> = {
  nginx: {
    language: 'nginx',
    async start(sample) {
      const own = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
        const directive = name === 'body' ? 'client_body_temp_path' : `${name}_temp_path`
        return `${directive} ${folder}/nginx-${name};`
      })
      const file = await written(
        'nginx.conf',
        `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${own.join(' ')}\n${sample}\n}`,
      )
      return spawn('nginx', ['-c', file], { stdio: 'ignore' })
    },
  },
  Caddy: {
    language: 'caddyfile',
    async start(sample) {
      const ownCertificate = sample.replace('{\n', `{\n\ttls ${files.pem} ${files.key}\n`)
      const file = await written('Caddyfile', `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${ownCertificate}`)
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore', env })
    },
  },
  haproxy: {
    language: 'haproxy',
    async start(sample) {
      return spawn('haproxy', ['-db', '-f', await written('haproxy.cfg', sample)], { stdio: 'ignore' })
    },
  },
}

for (const [name, { language, start }] of Object.entries(proxies)) {
  describe(`docs/operate.md: behind ${name}`, () => {
    let proxy: ChildProcess
    before(async () => {
      proxy = await start(sampleOf(language))
      await once(proxy, 'spawn')
    })
    after(async () => {
      proxy.kill('SIGKILL')
      await once(proxy, 'exit')
    })

    it('the service is reached under its public address, over https', async () => {
      await until(
        () =>
          call('/healthz').then(
            () => true,
            () => false,
          ),
        name,
      )
      const { status, headers, text } = await call('/.well-known/openid-configuration')
      assert.equal(status, 200)
      assert.equal(JSON.parse(text).issuer, `https://${publicHost}`)
      assert.match(String(headers['strict-transport-security']), /max-age/)
    })

    it('every caller has limits of its own, and none can pass for another', async () => {
      const ask = async (from: string, claimed: string) => {
        const headers = { 'x-forwarded-for': claimed, 'x-forwarded-host': 'evil.example.com' }
        return (await call('/oauth/.well-known/jwks.json', { headers, from })).status
      }
      service.clock.forward(120)
      const limit = specLimits.keySetRequestsPerAddress
      for (let n = 0; n < limit; n += 1) assert.equal(await ask('127.0.0.2', `203.0.113.${n}`), 200)
      assert.equal(await ask('127.0.0.2', '203.0.113.250'), 429)
      assert.equal(await ask('127.0.0.3', '127.0.0.2'), 200)
    })

    it('the largest body that the service reads gets through, and a larger one is a 413', async () => {
      const mass = (bytes: number) =>
        call('/v1/devices/telemetry', { body: `{"devices":[{"x":"${'x'.repeat(bytes - 26)}"}]}` })
      assert.equal((await mass(massLimits.bytes - 1_024)).status, 200)
      assert.equal((await mass(massLimits.bytes + 1_024)).status, 413)
    })

    it('a live stream brings a value at once', async () => {
      const mac = newMac()
      const device = await register(service, model, { mac, sn: mac })
      const claim = { mac, sn: mac, model_id: model.id }
      assert.equal((await organization.call('api_key', 'POST', '/devices/claim', claim)).status, 201)
      const stream = await open('/core/v1/organization/devices/stream', { headers: organization.headers.api_key })
      let received = ''
      stream.setEncoding('utf8').on('data', (part: string) => {
        received += part
      })
      await until(() => received.includes('ready'), 'the stream')
      await send(service, device, { status: 'online', telemetries: { through: name } })
      await until(() => received.includes(`"${name}"`), 'the value', 10)
      stream.destroy()
    })
  })
}

function sampleOf(language: string): string {
  const [, sample] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(operate) ?? assert.fail(`no ${language}`)
  return sample!
    .replaceAll('127.0.0.1:8080', behind)
    .replaceAll('/etc/ssl/landbridge.pem', files.pem)
    .replaceAll('/etc/ssl/landbridge.key', files.key)
    .replace('listen 443', `listen 127.0.0.1:${publicPort}`)
    .replace('bind :443', `bind 127.0.0.1:${publicPort}`)
    .replace('landbridge.example.com {', `${publicHost} {`)
    .replace('landbridge.example.com', 'localhost')
}

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

interface Call {
  headers?: Record<string, string>
  /** The caller's own address. */
  from?: string
  body?: string
}

async function open(path: string, { headers = {}, from = '127.0.0.1', body }: Call = {}): Promise<IncomingMessage> {
  const options = { host: '127.0.0.1', port: publicPort, servername: 'localhost', ca: certificate, localAddress: from }
  const more =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const sent = request({
    ...options,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { host: publicHost, ...more, ...headers },
    agent: false,
  })
  // A refused body may end the connection while it is still being sent; the response says why.
  sent.on('error', () => {})
  const response = once(sent, 'response')
  sent.end(body)
  return (await response)[0]
}

async function call(path: string, options: Call = {}) {
  const response = await open(path, options)
  const parts: string[] = await response.setEncoding('utf8').toArray()
  return { status: response.statusCode!, headers: response.headers, text: parts.join('') }
}
