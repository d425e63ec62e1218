import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { automaticProcesses, readConfig } from './config.ts'

const key = Buffer.alloc(32, 1).toString('base64')
const operatorKey = 'x'.repeat(32)
const shared = { DATABASE_URL: 'postgres://db/x', LANDBRIDGE_MASTER_KEY: key, LANDBRIDGE_OPERATOR_KEY: operatorKey }

/** An environment, and the variables that are wrong in it. */
const table: [Record<string, string>, string[]][] = [
  [{}, []],
  [{ PORT: '0', LANDBRIDGE_MQTTS_PORT: '0', LANDBRIDGE_STATIC_CERT_PORT: '65535' }, []],
  [{ PORT: '' }, []],
  [{ PORT: '65536' }, ['PORT']],
  [{ PORT: '80a' }, ['PORT']],
  [{ LANDBRIDGE_MQTTS_PORT: '-1' }, ['LANDBRIDGE_MQTTS_PORT']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com' }, []],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com/' }, []],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com/path' }, ['LANDBRIDGE_PUBLIC_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com?x' }, ['LANDBRIDGE_PUBLIC_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'example.com' }, ['LANDBRIDGE_PUBLIC_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'ftp://example.com' }, ['LANDBRIDGE_PUBLIC_URL']],
  [{ LANDBRIDGE_ENTRY_URL: 'https://example.com/entry', LANDBRIDGE_HUB_URL: 'http://hub.example.com' }, []],
  [{ LANDBRIDGE_MQTT_URL: 'mqtts://mqtt.example.com:8883' }, []],
  [{ LANDBRIDGE_MQTT_URL: 'mqtt://mqtt.example.com' }, ['LANDBRIDGE_MQTT_URL']],
  [{ LANDBRIDGE_STATIC_CERT_URL: 'http://x.example.com' }, ['LANDBRIDGE_STATIC_CERT_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_MQTT_URL: 'mqtts://localhost' }, ['LANDBRIDGE_MQTT_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_HUB_URL: 'http://127.0.0.1:1' }, ['LANDBRIDGE_HUB_URL']],
  [{ LANDBRIDGE_PUBLIC_URL: 'http://localhost:1', LANDBRIDGE_HUB_URL: 'http://127.0.0.1:1' }, []],
  [{ LANDBRIDGE_MIN_FREE_MB: '0' }, []],
  [{ LANDBRIDGE_MIN_FREE_MB: '1GB' }, ['LANDBRIDGE_MIN_FREE_MB']],
  [{ LANDBRIDGE_DRAIN_SECONDS: '0' }, []],
  [{ LANDBRIDGE_DRAIN_SECONDS: '301' }, ['LANDBRIDGE_DRAIN_SECONDS']],
  [{ LANDBRIDGE_DRAIN_SECONDS: '1.5' }, ['LANDBRIDGE_DRAIN_SECONDS']],
  ...['1', '64', 'auto'].map((text): [Record<string, string>, string[]] => [{ LANDBRIDGE_PROCESSES: text }, []]),
  ...['0', '-1', 'two', '1000', '65', '1.5', 'AUTO'].map((text): [Record<string, string>, string[]] => [
    { LANDBRIDGE_PROCESSES: text },
    ['LANDBRIDGE_PROCESSES'],
  ]),
  [{ LANDBRIDGE_CELL: 'eu-1' }, []],
  ...['EU', 'a b', '-a', 'a'.repeat(33), 'a.b'].map((text): [Record<string, string>, string[]] => [
    { LANDBRIDGE_CELL: text },
    ['LANDBRIDGE_CELL'],
  ]),
  [{ LANDBRIDGE_TLS_CERT: 'a.pem' }, ['LANDBRIDGE_TLS_KEY']],
  [{ LANDBRIDGE_TLS_KEY: 'a.pem' }, ['LANDBRIDGE_TLS_CERT']],
  [{ LANDBRIDGE_LAB: 'yes' }, ['LANDBRIDGE_LAB']],
  [{ LANDBRIDGE_AUDIT_DAYS: '0' }, []],
  [{ LANDBRIDGE_AUDIT_DAYS: '30' }, []],
  [{ LANDBRIDGE_AUDIT_DAYS: '29' }, ['LANDBRIDGE_AUDIT_DAYS']],
  [{ LANDBRIDGE_AUDIT_DAYS: '3651' }, ['LANDBRIDGE_AUDIT_DAYS']],
  [{ LANDBRIDGE_AUDIT_DAYS: 'never' }, ['LANDBRIDGE_AUDIT_DAYS']],
  [{ LANDBRIDGE_REMOVED_DEVICE_DAYS: '1' }, []],
  [{ LANDBRIDGE_REMOVED_DEVICE_DAYS: '0' }, ['LANDBRIDGE_REMOVED_DEVICE_DAYS']],
  [{ LANDBRIDGE_REMOVED_DEVICE_DAYS: '3651' }, ['LANDBRIDGE_REMOVED_DEVICE_DAYS']],
  [{ LANDBRIDGE_UNUSED_DEVICE_DAYS: '0' }, []],
  [{ LANDBRIDGE_UNUSED_DEVICE_DAYS: 'never' }, ['LANDBRIDGE_UNUSED_DEVICE_DAYS']],
  [{ LANDBRIDGE_REGISTRATIONS_PER_KEY: '1000000' }, []],
  [{ LANDBRIDGE_REGISTRATIONS_PER_KEY: '0' }, ['LANDBRIDGE_REGISTRATIONS_PER_KEY']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_LAB: 'true' }, ['LANDBRIDGE_LAB']],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_LAB: 'false' }, []],
  [{ LANDBRIDGE_PUBLIC_URL: 'https://localhost:8443', LANDBRIDGE_LAB: 'true' }, []],
  [{ LANDBRIDGE_PUBLIC_URL: 'http://example.com', LANDBRIDGE_LAB: 'true' }, []],
  [{ ...shared, LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_LAB: 'true' }, ['LANDBRIDGE_LAB']],
  [{ LANDBRIDGE_TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32,192.0.2.1' }, []],
  [{ LANDBRIDGE_TRUST_PROXY: '10.0.0.0/33' }, ['LANDBRIDGE_TRUST_PROXY']],
  [{ LANDBRIDGE_TRUST_PROXY: 'true' }, ['LANDBRIDGE_TRUST_PROXY']],
  [{ LANDBRIDGE_LOG_LEVEL: 'loud' }, ['LANDBRIDGE_LOG_LEVEL']],
  [shared, []],
  [{ DATABASE_URL: 'postgres://db/x' }, ['LANDBRIDGE_MASTER_KEY', 'LANDBRIDGE_OPERATOR_KEY']],
  [{ ...shared, DATABASE_URL: 'mysql://db/x' }, ['DATABASE_URL']],
  [{ ...shared, DATABASE_URL: 'postgres://a:1,b:2/x?target_session_attrs=read-write' }, []],
  [{ ...shared, LANDBRIDGE_DISTRIBUTED: 'citus' }, []],
  [{ ...shared, LANDBRIDGE_DISTRIBUTED: 'true' }, ['LANDBRIDGE_DISTRIBUTED']],
  [{ LANDBRIDGE_DISTRIBUTED: 'citus' }, ['LANDBRIDGE_DISTRIBUTED']],
  [{ LANDBRIDGE_MASTER_KEY: 'c2hvcnQ=' }, ['LANDBRIDGE_MASTER_KEY']],
  [{ LANDBRIDGE_MASTER_KEY: 'not base64 at all, but of some length!!' }, ['LANDBRIDGE_MASTER_KEY']],
  [{ LANDBRIDGE_OPERATOR_KEY: 'short' }, ['LANDBRIDGE_OPERATOR_KEY']],
  [{ LANDBRIDGE_SECURITY_CONTACT: 'security@example.com' }, ['LANDBRIDGE_SECURITY_CONTACT']],
  [{ LANDBRIDGE_SECURITY_CONTACT: 'mailto:security@example.com' }, []],
  [{ LANDBRIDGE_SECURITY_CONTACT: 'https://example.com/security' }, []],
  [{ LANDBRIDGE_SECURITY_CONTACT: 'see https://example.com' }, ['LANDBRIDGE_SECURITY_CONTACT']],
  [{ LANDBRIDGE_SECURITY_CONTACT: 'https://example.com or us' }, ['LANDBRIDGE_SECURITY_CONTACT']],
  [{ ...shared, DATABASE_URL: 'postgresql://db/x' }, []],
  [{ ...shared, DATABASE_URL: 'xpostgres://db/x' }, ['DATABASE_URL']],
  [{ ...shared, DATABASE_URL: 'postgres://a/x?target_session_attrs=any' }, []],
  [{ ...shared, DATABASE_URL: 'postgres://a/x?target_session_attrs=often' }, ['DATABASE_URL']],
  [{ ...shared, LANDBRIDGE_DISTRIBUTED: 'xcitus' }, ['LANDBRIDGE_DISTRIBUTED']],
  [{ ...shared, LANDBRIDGE_DISTRIBUTED: 'citus2' }, ['LANDBRIDGE_DISTRIBUTED']],
  [{ LANDBRIDGE_CONNECTIONS: '200' }, []],
  [{ LANDBRIDGE_CONNECTIONS: '201' }, ['LANDBRIDGE_CONNECTIONS']],
  [{ LANDBRIDGE_ENTRY_URL: 'http://example.com/entry' }, []],
  [{ LANDBRIDGE_ENTRY_URL: 'x' }, ['LANDBRIDGE_ENTRY_URL']],
  [{ LANDBRIDGE_HUB_URL: 'https://hub.example.com/a' }, []],
  [{ LANDBRIDGE_MQTT_URL: 'mqtts://mqtt.example.com/a' }, ['LANDBRIDGE_MQTT_URL']],
  [{ LANDBRIDGE_STATIC_CERT_URL: 'https://x.example.com/a' }, []],
  [{ LANDBRIDGE_STATIC_CERT_PORT: 'x' }, ['LANDBRIDGE_STATIC_CERT_PORT']],
  ...['localhost', 'a.localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::]'].map(
    (host): [Record<string, string>, string[]] => [
      { LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_HUB_URL: `https://${host}` },
      ['LANDBRIDGE_HUB_URL'],
    ],
  ),
  ...['localhost.example', 'notlocalhost', '127.0.0.1.example', 'a.127.0.0.1.nip'].map(
    (host): [Record<string, string>, string[]] => [
      { LANDBRIDGE_PUBLIC_URL: 'https://example.com', LANDBRIDGE_HUB_URL: `https://${host}` },
      [],
    ],
  ),
  [{ LANDBRIDGE_OPERATOR_KEY: `${'x'.repeat(20)}\n${'x'.repeat(20)}` }, []],
  [{ LANDBRIDGE_HISTORY_DAYS: '0' }, ['LANDBRIDGE_HISTORY_DAYS']],
  [{ LANDBRIDGE_HISTORY_DAYS: '3650' }, []],
  [{ LANDBRIDGE_REGISTRATIONS_PER_KEY: '1' }, []],
  [{ LANDBRIDGE_REGISTRATIONS_PER_KEY: '9999999' }, []],
  [{ LANDBRIDGE_REGISTRATIONS_PER_KEY: '10000000' }, ['LANDBRIDGE_REGISTRATIONS_PER_KEY']],
  [{ LANDBRIDGE_MIN_FREE_MB: '999999' }, []],
  [{ LANDBRIDGE_MIN_FREE_MB: '1000000' }, ['LANDBRIDGE_MIN_FREE_MB']],
  [{ LANDBRIDGE_QUOTAS: 'levels=64' }, []],
  [{ LANDBRIDGE_QUOTAS: 'levels=65' }, ['LANDBRIDGE_QUOTAS']],
  [{ LANDBRIDGE_QUOTAS: 'nothing=1' }, ['LANDBRIDGE_QUOTAS']],
  [{ LANDBRIDGE_RATES: 'nothing=1' }, ['LANDBRIDGE_RATES']],
  [{ LANDBRIDGE_PROCESSES: '001' }, ['LANDBRIDGE_PROCESSES']],
  ...['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level): [Record<string, string>, string[]] => [
    { LANDBRIDGE_LOG_LEVEL: level },
    [],
  ]),
  [{ LANDBRIDGE_METRICS_KEY: 'x'.repeat(31) }, ['LANDBRIDGE_METRICS_KEY']],
  [{ LANDBRIDGE_METRICS_KEY: 'x'.repeat(32), LANDBRIDGE_OPERATOR_KEY: 'y'.repeat(32) }, []],
  [{ LANDBRIDGE_METRICS_KEY: 'x'.repeat(32), LANDBRIDGE_OPERATOR_KEY: 'x'.repeat(32) }, ['LANDBRIDGE_METRICS_KEY']],
  [{ PORT: 'x', LANDBRIDGE_LAB: 'x', LANDBRIDGE_HUB_URL: 'x' }, ['PORT', 'LANDBRIDGE_HUB_URL', 'LANDBRIDGE_LAB']],
]

describe('configuration', () => {
  for (const [environment, wrong] of table) {
    it(`${JSON.stringify(environment)} → ${wrong.length > 0 ? `${wrong.join(' and ')} at fault` : 'right'}`, () => {
      const { faults } = readConfig(environment)
      assert.deepEqual(faults.map(({ variable }) => variable).toSorted(), wrong.toSorted())
      for (const { message } of faults)
        assert.match(message, /^(must|is required|is \S+, which no device|"[^"]*" (is no|must)) .{8,}/)
    })
  }

  it('every variable that is read is in docs/operate.md, and none that is not', async () => {
    const readers = ['config.ts', 'platform/mail-settings.ts']
    const code = (await Promise.all(readers.map((file) => readFile(new URL(file, import.meta.url), 'utf8')))).join('\n')
    const manual = await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8')
    const named = (text: string) => new Set(text.match(/\b(LANDBRIDGE_[A-Z_]+|DATABASE_URL)\b/g))
    assert.deepEqual([...named(manual)].toSorted(), [...named(code)].toSorted())
  })

  it('a variable that looks like ours and means nothing is named', () => {
    const { unknown, faults } = readConfig({ LANDBRIDGE_MASTERKEY: 'x', LANDBRIDGE_LAB: 'true', HOME: '/' })
    assert.deepEqual([unknown, faults], [['LANDBRIDGE_MASTERKEY'], []])
  })

  it('what is not set has the default that docs/operate.md names', () => {
    const { config } = readConfig({})
    const { port, mqttsPort, staticCertPort, historyDays, auditDays, removedDeviceDays, unusedDeviceDays } = config
    assert.deepEqual([port, mqttsPort, staticCertPort], [8080, 8883, 8443])
    assert.deepEqual([historyDays, auditDays, removedDeviceDays, unusedDeviceDays], [30, 400, 90, 365])
    assert.deepEqual([config.sessionIdleMilliseconds, config.sessionMilliseconds], [43_200_000, 604_800_000])
    const { connections, minFreeBytes, processes, logLevel, dataDir, portalDir, distributed, startedByNpm } = config
    assert.deepEqual([connections, minFreeBytes, processes, logLevel], [8, 512 * 1024 * 1024, 1, 'info'])
    assert.deepEqual([dataDir, portalDir, distributed, startedByNpm], [resolve('data'), null, false, false])
  })

  it('what is set arrives', () => {
    const { config } = readConfig({
      ...{ ...shared, LANDBRIDGE_DISTRIBUTED: 'citus', LANDBRIDGE_CONNECTIONS: '9' },
      ...{ LANDBRIDGE_DATA_DIR: '/var/x', LANDBRIDGE_PORTAL_DIR: '/var/y', npm_lifecycle_event: 'start' },
      ...{ LANDBRIDGE_AUDIT_DAYS: '0', LANDBRIDGE_UNUSED_DEVICE_DAYS: '0', LANDBRIDGE_PROCESSES: '3' },
      ...{ LANDBRIDGE_QUOTAS: 'levels=7', LANDBRIDGE_ENTRY_URL: 'https://e.example/' },
    })
    const { distributed, connections, dataDir, portalDir, startedByNpm } = config
    assert.deepEqual([distributed, connections, dataDir, portalDir], [true, 9, resolve('/var/x'), '/var/y'])
    const { auditDays, unusedDeviceDays, processes, quotas, entryUrl } = config
    assert.deepEqual([auditDays, unusedDeviceDays, processes, quotas.levels], [null, null, 3, 7])
    assert.deepEqual([startedByNpm, entryUrl], [true, 'https://e.example'])
    assert.equal(readConfig({ LANDBRIDGE_PROCESSES: 'auto' }).config.processes, automaticProcesses())
  })

  it('a fault says what the number counts, and what else is possible', () => {
    const message = (variable: string, value: string) => readConfig({ [variable]: value }).faults[0]!.message
    assert.equal(
      message('LANDBRIDGE_AUDIT_DAYS', 'x'),
      'must be a number of days from 30 to 3650, or 0 to keep everything',
    )
    assert.match(message('LANDBRIDGE_UNUSED_DEVICE_DAYS', 'x'), /or 0 to keep them for ever$/)
    assert.match(message('LANDBRIDGE_MIN_FREE_MB', 'x'), /a number of megabytes/)
    assert.match(message('LANDBRIDGE_DRAIN_SECONDS', 'x'), /a number of seconds/)
    assert.match(message('LANDBRIDGE_REGISTRATIONS_PER_KEY', 'x'), /a number of registrations per minute/)
    assert.match(message('LANDBRIDGE_TLS_CERT', 'x'), /^is required with LANDBRIDGE_TLS_CERT/)
    assert.match(message('LANDBRIDGE_TLS_KEY', 'x'), /^is required with LANDBRIDGE_TLS_KEY/)
    assert.match(message('DATABASE_URL', 'postgres://a/x?target_session_attrs=often'), /target_session_attrs: \S+, \S+/)
  })

  it('a process drains where a balancer may be in front of it, and stops at once otherwise', () => {
    assert.equal(readConfig({}).config.drainSeconds, 0)
    assert.equal(readConfig(shared).config.drainSeconds, 5)
  })

  it('auto leaves a core and memory to Postgres, and is never less than one process', () => {
    const gigabytes = (number: number) => number * 1024 ** 3
    for (const [cores, memory, processes] of [
      [1, 0.5, 1],
      [2, 8, 1],
      [4, 8, 3],
      [16, 64, 15],
      [16, 2, 2],
      [16, 2.99, 2],
      [256, 512, 64],
    ] as const) {
      assert.equal(automaticProcesses({ cores, memory: gigabytes(memory) }), processes)
    }
  })

  it('a fault never repeats a secret', () => {
    const { faults } = readConfig({ LANDBRIDGE_OPERATOR_KEY: 'hunter2', LANDBRIDGE_MASTER_KEY: 'hunter2' })
    assert.doesNotMatch(JSON.stringify(faults), /hunter2/)
  })

  it('the lab comes with the private Postgres unless it is switched off', () => {
    assert.equal(readConfig({}).config.lab, true)
    assert.equal(readConfig(shared).config.lab, false)
    assert.equal(readConfig({ ...shared, LANDBRIDGE_LAB: 'true' }).config.lab, true)
    assert.equal(readConfig({ LANDBRIDGE_PUBLIC_URL: 'https://example.com' }).config.lab, false)
  })

  const bound: [Record<string, string>, string][] = [
    [{}, '127.0.0.1'],
    [{ LANDBRIDGE_PUBLIC_URL: 'https://example.com' }, '0.0.0.0'],
    [{ LANDBRIDGE_PUBLIC_URL: 'http://example.com' }, '0.0.0.0'],
    [{ LANDBRIDGE_HOST: '0.0.0.0' }, '0.0.0.0'],
    [{ LANDBRIDGE_HOST: '192.0.2.1', LANDBRIDGE_PUBLIC_URL: 'https://example.com' }, '192.0.2.1'],
  ]
  for (const [environment, host] of bound) {
    it(`${JSON.stringify(environment)} → bound to ${host}`, () => {
      assert.equal(readConfig(environment).config.host, host)
    })
  }
})

describe('decision 8.23: webhooks to this machine', () => {
  const here = ['127.0.0.0/8', '::1']
  const cases: [title: string, environment: Record<string, string>, allowed: string[]][] = [
    ['a lab that only this machine reaches', {}, here],
    ['bound to a loopback address', { LANDBRIDGE_HOST: '::1' }, here],
    ['bound to another address', { LANDBRIDGE_HOST: '127.0.0.1.example' }, []],
    ['bound to a name', { LANDBRIDGE_HOST: 'localhosts' }, []],
    ['bound to all addresses', { LANDBRIDGE_HOST: '0.0.0.0' }, []],
    ['with a public address', { LANDBRIDGE_PUBLIC_URL: 'http://example.com' }, []],
    ['without a lab', { LANDBRIDGE_LAB: 'false' }, []],
    ['as the operator says', { LANDBRIDGE_WEBHOOK_ALLOW: '10.0.0.0/8' }, ['10.0.0.0/8']],
  ]
  for (const [title, environment, allowed] of cases) {
    it(`${title} → ${allowed.join(' and ') || 'none'}`, () => {
      assert.deepEqual(readConfig(environment).config.webhookAllow, allowed)
    })
  }
})
