// The programs of docs/clients.md, as they stand there: each signs a person in at a service that is reached over https.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createServer, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { startForPartners } from '../clients/partner.ts'
import { Browser } from '../support/form-browser.ts'
import { freePort } from '../support/free-port.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const page = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8')
const folder = await mkdtemp(join(tmpdir(), 'landbridge-clients-'))
after(() => removeFolder(folder))
const installing = install()
const { certificate, privateKey } = await createCertificate([], new Date())
const certificateFile = join(folder, 'service.pem')
await writeFile(certificateFile, certificate)
setDefaultCACertificates([certificate])
const issuer = await startTlsFront(await freePort())
const partner = await startForPartners({ PORT: String(issuer.behind), LANDBRIDGE_PUBLIC_URL: issuer.url })
await installing

interface Program {
  file: string
  callback?: string
  /** Where the person starts, when it is not the first page. */
  start?(browser: Browser, app: string): Promise<string>
  /** What the page's table says that it needs beyond its defaults: without it the service refuses. */
  needs?: RegExp
}

const fromFirstPage = async (_browser: Browser, app: string) => app

const programs: Program[] = [
  {
    file: 'auth-js.js',
    callback: '/auth/callback/landbridge',
    needs: /^ *checks:.*\n/m,
    /** A click on the button of its sign-in page. */
    async start(browser, app) {
      const { csrfToken } = JSON.parse((await browser.get(`${app}/auth/csrf`)).body)
      const { location } = await browser.post(`${app}/auth/signin/landbridge`, { csrfToken, callbackUrl: app })
      return location!
    },
  },
  { file: 'passport-openid-client.js', needs: /^ *parameters\.set\('state'.*\n/m },
  { file: 'passport-oauth2.js', needs: /^ *pkce: true,\n *state: true,\n/m },
  { file: 'openid-client.js' },
  { file: 'oauth4webapi.js' },
  { file: 'authlib-flask.py', needs: /, "code_challenge_method": "S256"/ },
]

describe('docs/clients.md: the programs work as they stand', () => {
  for (const { file, callback = '/callback', start = fromFirstPage, needs } of programs) {
    it(file, async () => {
      const app = `http://localhost:${await freePort()}`
      const { client_id, client_secret, customer_id, email, walk } = await partner.register({
        redirect_uri: app + callback,
      })
      const program = await run(file, programOf(file), app, { CLIENT_ID: client_id, CLIENT_SECRET: client_secret })
      const browser = new Browser('network')
      const { visit } = await walk(await start(browser, app), { browser })
      assert.deepEqual(JSON.parse(visit!.body), { email, org_id: customer_id }, program.said())
      if (programOf(file).includes('/refresh')) {
        // Twice, because each refresh token works once.
        for (const _ of [1, 2]) assert.equal(JSON.parse((await browser.get(`${app}/refresh`)).body).email, email)
      }
      await program.stop()
    })

    if (needs) {
      it(`${file}: without the line that its row names, the service refuses`, async () => {
        const app = `http://localhost:${await freePort()}`
        const { client_id, client_secret } = await partner.register({ redirect_uri: app + callback })
        const text = programOf(file).replace(needs, '')
        assert.notEqual(text, programOf(file))
        const credentials = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret }
        const program = await run(`without-${file}`, text, app, credentials)
        const browser = new Browser('network')
        let at = await start(browser, app)
        if (at === app) at = (await browser.get(app)).location!
        const refused = new URL((await browser.get(at)).location!)
        assert.equal(refused.searchParams.get('error'), 'invalid_request')
        await program.stop()
      })
    }
  }
})

/** The block of code under this name. */
function programOf(file: string): string {
  const language = file.endsWith('.py') ? 'python' : 'js'
  const [, text] = page.split(`\`\`\`${language} ${file}\n`)
  return text?.split('```')[0] ?? assert.fail(`no program ${file}`)
}

/** All that the page installs, in one folder. */
async function install(): Promise<void> {
  const packages = [...page.matchAll(/^npm install (.*)$/gm)].flatMap(([, names]) => names!.split(' '))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await promisify(execFile)('npm', ['install', ...options, ...new Set(packages)], { cwd: folder })
}

async function run(file: string, text: string, app: string, credentials: Record<string, string>) {
  await writeFile(join(folder, file), text)
  // Debian's own Python, whatever comes first in the path: it has Debian's packages.
  const program = file.endsWith('.py') ? '/usr/bin/python3' : process.execPath
  const child: ChildProcess = spawn(program, [file], {
    cwd: folder,
    env: {
      ...{
        PATH: process.env.PATH,
        LANDBRIDGE_URL: issuer.url,
        APP_URL: app,
        APP_SECRET: 'a'.repeat(64),
        ...credentials,
      },
      // How the programs come to trust the certificate of this test.
      ...{ NODE_EXTRA_CA_CERTS: certificateFile, REQUESTS_CA_BUNDLE: certificateFile },
    },
  })
  after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  await until(async () => {
    assert.equal(child.exitCode, null, said)
    return await fetch(`${app}/none`).then(
      () => true,
      () => false,
    )
  }, file)
  return {
    said: () => said,
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** https in front of the service, as a load balancer would be. */
async function startTlsFront(behind: number): Promise<{ url: string; behind: number }> {
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => {
    const upstream = connect(behind, '127.0.0.1')
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { url: `https://localhost:${(server.address() as { port: number }).port}`, behind }
}
