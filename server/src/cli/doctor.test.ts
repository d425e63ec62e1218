import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'
import { operatorKey, testMasterKey } from '../../../test/support/keys.ts'
import { refusal, startMailServer } from '../../../test/support/mail-server.ts'
import { insertCell } from '../devices/store/hub-cells-sql.ts'
import { staticCertificate } from '../platform/tls/static-certificate.ts'
import { doctor, type Finding } from './doctor.ts'

const service = await startHarness({ LANDBRIDGE_PUBLIC_URL: 'https://landbridge.example.com' })
const { certificate, privateKey } = await staticCertificate(service.context)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-doctor-'))
after(() => rm(folder, { recursive: true, force: true }))

const own = {
  DATABASE_URL: service.databaseUrl,
  LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
  LANDBRIDGE_OPERATOR_KEY: operatorKey,
  LANDBRIDGE_DATA_DIR: folder,
}

function levelOf(findings: Finding[], message: RegExp): Finding['level'] | undefined {
  return findings.find((finding) => message.test(finding.message))?.level
}

describe('npx landbridge doctor', () => {
  it('finds the database, the clock, the master key and the names of the certificate right', async () => {
    const findings = await doctor({ ...own, LANDBRIDGE_STATIC_CERT_URL: 'https://landbridge.example.com:8443' })
    assert.equal(levelOf(findings, /^Every variable can be read/), 'ok')
    assert.equal(levelOf(findings, /^Postgres \d+(\.\d+)? .*accepts writes/), 'ok')
    assert.equal(levelOf(findings, /^Every migration is applied/), 'ok')
    assert.equal(levelOf(findings, /^This machine and the database agree/), 'ok')
    assert.equal(levelOf(findings, /^The master key is the one/), 'ok')
    assert.equal(levelOf(findings, /^The certificate that never changes is valid for landbridge\.example\.com/), 'ok')
  })

  it('names a wrong key, a wrong host, an unknown variable, a dangerous setting and an address that is silent', async () => {
    const findings = await doctor({
      ...own,
      LANDBRIDGE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      LANDBRIDGE_PUBLIC_URL: 'http://other.example.invalid',
      LANDBRIDGE_TYPO: 'x',
    })
    assert.equal(levelOf(findings, /^The master key is not the one/), 'problem')
    assert.equal(
      levelOf(findings, /^The certificate that never changes does not name other\.example\.invalid/),
      'warning',
    )
    assert.equal(levelOf(findings, /^LANDBRIDGE_TYPO means nothing/), 'warning')
    // The Postgres of the tests is set up to be quick, not safe.
    assert.equal(levelOf(findings, /^fsync or full_page_writes is off/), 'problem')
    assert.equal(levelOf(findings, /^http:\/\/other\.example\.invalid does not respond/), 'warning')
  })

  it('says what the hub cell of a process means, new or known, with the same addresses or others', async () => {
    const of = async (cell: Record<string, string>) =>
      (await doctor({ ...own, ...cell })).filter(({ about }) => about === 'hub cell').map(({ message }) => message)
    assert.deepEqual(await of({}), [])
    assert.deepEqual(await of({ LANDBRIDGE_CELL: 'eu-1' }), [
      'eu-1 is new; after its first start it gets every device.',
    ])
    await insertCell(
      service.sql,
      'eu-1',
      {
        hub_url: 'https://eu-1.test',
        hub_url_static_cert: 'https://eu-1.test:8443',
        mqtt_hub_url: 'mqtts://eu-1.test:8883',
      },
      new Date(),
    )
    assert.deepEqual(await of({ LANDBRIDGE_CELL: 'eu-1' }), ['eu-1 is open at https://eu-1.test.'])
    const [other] = await of({ LANDBRIDGE_CELL: 'eu-1', LANDBRIDGE_HUB_URL: 'https://new.test' })
    assert.match(other!, /^eu-1 has other addresses so far/)
    assert.match((await of({ LANDBRIDGE_CELL: 'eu-2' }))[0]!, /`landbridge cell rebalance` gives it devices/)
    const [taken] = await of({ LANDBRIDGE_CELL: 'eu-2', LANDBRIDGE_HUB_URL: 'https://eu-1.test' })
    assert.match(taken!, /^LANDBRIDGE_HUB_URL is the address of another hub cell/)
    assert.match((await of({}))[0]!, /there are cells \(eu-1\)/)
  })

  it('reads TLS files, and says that a database cannot be reached', async () => {
    const [certificateFile, keyFile] = [join(folder, 'tls.pem'), join(folder, 'tls.key')]
    await writeFile(certificateFile, certificate)
    await writeFile(keyFile, privateKey)
    const tls = { LANDBRIDGE_TLS_CERT: certificateFile, LANDBRIDGE_TLS_KEY: keyFile }
    const findings = await doctor({ ...own, ...tls, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' })
    assert.equal(levelOf(findings, /tls\.pem is valid for \d+ more days/), 'ok')
    assert.equal(levelOf(findings, /^It cannot be used: /), 'problem')
    const broken = await doctor({ ...own, LANDBRIDGE_TLS_CERT: keyFile, LANDBRIDGE_TLS_KEY: keyFile, DATABASE_URL: '' })
    assert.equal(levelOf(broken, /cannot be used: /), 'problem')
    assert.equal(levelOf(broken, /^There is none yet/), 'warning')
  })

  it('finds keys that others can read', async () => {
    await writeFile(join(folder, 'master.key'), 'x', { mode: 0o644 })
    assert.equal(levelOf(await doctor({ LANDBRIDGE_DATA_DIR: folder }), /^Others can read .*master\.key/), 'problem')
  })

  it('says that the master key of a database is missing, and creates none', async () => {
    const dataDir = join(folder, 'without-key')
    await mkdir(join(dataDir, 'postgres'), { recursive: true })
    const findings = await doctor({ LANDBRIDGE_DATA_DIR: dataDir })
    assert.equal(levelOf(findings, /has a database, but no master\.key/), 'problem')
    assert.deepEqual(await readdir(dataDir), ['postgres'])
  })
})

describe('npx landbridge doctor: mail', () => {
  const from = { LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' }
  const about = async (settings: Record<string, string>) =>
    (await doctor({ ...own, ...settings })).filter((finding) => finding.about === 'mail')

  it('says what is missing, and whether the server takes the credentials', async () => {
    const [missing] = await about({})
    assert.match(`${missing!.level} ${missing!.message}`, /^ok None is sent: set LANDBRIDGE_MAIL_URL/)
    const server = await startMailServer()
    const [reached] = await about({ ...from, LANDBRIDGE_MAIL_URL: server.url })
    assert.match(`${reached!.level} ${reached!.message}`, /^ok 127\.0\.0\.1, port \d+, can be reached/)
    assert.deepEqual(server.got, [])
    const strict = await startMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(refusal(535, 'Wrong password')),
    })
    const [refused] = await about({ ...from, LANDBRIDGE_MAIL_URL: `smtp://ada:hunter2x@127.0.0.1:${strict.port}` })
    assert.match(
      `${refused!.level} ${refused!.message}`,
      /^problem .*LANDBRIDGE_MAIL_URL\. It said: 535 .*Wrong password/,
    )
    assert.ok(!refused!.message.includes('hunter2x'))
    const [gone] = await about({ ...from, LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1' })
    assert.match(`${gone!.level} ${gone!.message}`, /^problem .*refused the connection/)
  })
})
