import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { backgroundJobs } from '../server/src/background-jobs.ts'
import { openDeviceListeners } from '../server/src/device-listeners.ts'
import { settleAllDeadlines } from '../server/src/devices/live/offline-deadlines.ts'
import { estimateDevices, readDeadlineLag } from '../server/src/devices/telemetry/device-gauges.ts'
import { readWebhookBacklog } from '../server/src/events/webhooks/delivery-gauges.ts'
import { runJob } from '../server/src/platform/jobs.ts'
import { Closing } from '../server/src/platform/process/closing.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { version } from '../server/src/platform/version.ts'
import { connect, postForm, refresh, registerApplication } from './support/applications.ts'
import { newModel, online, post, register, send } from './support/devices.ts'
import { startHarness } from './support/harness.ts'
import { operatorKey } from './support/keys.ts'

const metricsKey = 'metrics-key-of-the-tests-0123456789'
const service = await startHarness({
  LANDBRIDGE_METRICS_KEY: metricsKey,
  LANDBRIDGE_STATIC_CERT_PORT: '0',
  LANDBRIDGE_MQTTS_PORT: '0',
})
const { context, sql, clock } = service
/** Without the setting, and to be other. */
const other = await startHarness()
const signal = AbortSignal.timeout(60_000)

context.metrics.watchProcess()
const closing = new Closing(context.log)
await openDeviceListeners(context, closing)
after(() => closing.close())

let calls = 0
/** Each from an address of its own: wrong keys are limited per address (decision 10.22). */
const get = (url: string, authorization?: string) => {
  calls += 1
  const remoteAddress = `10.3.${calls >> 8}.${calls & 255}`
  return service.app.inject({ url, headers: authorization ? { authorization } : {}, remoteAddress })
}

async function scrape(): Promise<string> {
  const { statusCode, body } = await get('/metrics', `Bearer ${metricsKey}`)
  assert.equal(statusCode, 200)
  return body
}

const deploy = (name: string) => readFile(new URL(`../deploy/${name}`, import.meta.url), 'utf8')

/** What can be named in a query: a histogram is exposed as three kinds of series. */
function exposedBy(text: string): Set<string> {
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Set(
    types.flatMap(([, name, type]) => {
      const suffixes =
        type === 'histogram' ? ['_bucket', '_sum', '_count'] : type === 'summary' ? ['_sum', '_count'] : []
      return [name!, ...suffixes.map((suffix) => name + suffix)]
    }),
  )
}

const namesIn = (text: string) =>
  [...text.matchAll(/\b(?:landbridge|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name)

describe('metrics of what the service does', () => {
  // The first scrape of the file: its readings of Postgres are shared by those that follow.
  it('messages, tokens, jobs and devices are counted', async () => {
    const model = await newModel(service)
    const device = await register(service, model)
    await register(service, model)
    assert.equal((await send(service, device, online({ a: 1 }))).status, 200)
    assert.equal((await send(service, device, { status: 'broken' })).status, 422)
    assert.equal((await send(service, { ...device, access_key: 'wrong' }, online({ a: 1 }))).status, 401)
    const devices = [
      { id: device.id, access_key: device.access_key, ...online({ a: 2 }) },
      { id: newId(), access_key: device.access_key, ...online({ a: 2 }) },
    ]
    assert.equal((await post(service, '/v1/devices/telemetry', { devices })).status, 200)

    const { isFull } = context.disk
    context.disk.isFull = () => true
    assert.equal((await send(service, device, online({ a: 3 }))).body.code, 'storage_full')
    assert.equal((await post(service, '/v1/devices/telemetry', { devices })).body.code, 'storage_full')
    context.disk.isFull = isFull

    const application = await registerApplication(service)
    const tokens = await connect(service, application)
    await refresh(service, application, tokens.refresh_token)
    await refresh(service, application, 'unknown')
    await postForm(service, '/oauth/token', { grant_type: 'refresh_token' })

    const jobs = backgroundJobs(context)
    for (const job of jobs) await runJob(sql, job)
    const failing = context.counters.watchJob({
      name: 'failing',
      everySeconds: 60,
      runShared: () => Promise.reject(new Error('failed')),
    })
    await assert.rejects(runJob(sql, failing))

    const lines = (await scrape()).split('\n')
    const expected = [
      'landbridge_messages_stored_total{protocol="http"} 1',
      'landbridge_messages_stored_total{protocol="mass"} 1',
      'landbridge_messages_stored_total{protocol="mqtt"} 0',
      'landbridge_messages_refused_total{protocol="http",reason="telemetry_invalid"} 1',
      'landbridge_messages_refused_total{protocol="http",reason="access_key_wrong"} 1',
      'landbridge_messages_refused_total{protocol="mass",reason="access_key_wrong"} 1',
      'landbridge_messages_refused_total{protocol="http",reason="storage_full"} 1',
      'landbridge_messages_refused_total{protocol="mass",reason="storage_full"} 1',
      'landbridge_tokens_issued_total{grant_type="authorization_code"} 1',
      'landbridge_tokens_issued_total{grant_type="refresh_token"} 1',
      'landbridge_tokens_refused_total{reason="refresh_unknown"} 1',
      'landbridge_tokens_refused_total{reason="credentials_missing"} 1',
      'landbridge_job_failures_total{job_name="failing"} 1',
      'landbridge_devices{status="online"} 1',
      'landbridge_devices{status="never_seen"} 1',
      'landbridge_devices{status="error"} 0',
      'landbridge_history_partitions_ahead 7',
      'landbridge_webhook_deliveries_pending 0',
      'landbridge_webhook_oldest_due_seconds 0',
      'landbridge_ready 1',
      'landbridge_draining 0',
      `landbridge_build_info{version="${version}",node="${process.version}"} 1`,
    ]
    assert.deepEqual(
      expected.filter((line) => !lines.includes(line)),
      [],
      lines.filter((line) => line.startsWith('landbridge_') && !line.includes('http_request')).join('\n'),
    )
    const now = clock.now().getTime() / 1000
    for (const { name } of jobs) {
      assert.ok(lines.includes(`landbridge_job_runs_total{job_name="${name}"} 1`), name)
      assert.ok(lines.includes(`landbridge_job_last_success_timestamp_seconds{job_name="${name}"} ${now}`), name)
    }
    for (const pool of ['sql', 'hot', 'ingest']) {
      const waits = lines.find((line) => line.startsWith(`landbridge_pool_wait_seconds_count{pool="${pool}"}`))
      assert.ok(Number(waits?.split(' ').at(-1)) > 0, pool)
      assert.ok(lines.includes(`landbridge_pool_waiting{pool="${pool}"} 0`))
    }
  })

  it('decision 9.7: the readings of Postgres are shared by scrapes within ten seconds, and absent when they fail', async () => {
    const before = await scrape()
    await sql`update devices set status = 'error', status_at = now()`
    const roundTrip = /^landbridge_database_round_trip_seconds .*$/m
    assert.equal(roundTrip.exec(await scrape())?.[0], roundTrip.exec(before)?.[0])

    await other.sql`alter table devices rename to devices_away`
    const { statusCode, body } = await other.app.inject({ url: '/metrics', headers: { authorization: operatorKey } })
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /^landbridge_devices\{/m)
    assert.match(body, /^landbridge_webhook_deliveries_pending 0$/m)
    await other.sql.end({ timeout: 1 })
    other.context.lifecycle.draining = true
    assert.match(
      (await other.app.inject({ url: '/metrics', headers: { authorization: operatorKey } })).body,
      /^landbridge_ready 0$/m,
    )
  })

  it('a deadline that nobody looks at is late, a device that turned offline is counted as such', async () => {
    await sql`update devices set status = 'online'`
    assert.equal((await estimateDevices(context, signal)).online, 2)
    await sql`update offline_deadlines set due_at = ${clock.now()}`
    clock.forward(30)
    assert.equal(await readDeadlineLag(context, signal), 30)
    clock.forward(3600)
    await settleAllDeadlines(context)
    assert.equal(await readDeadlineLag(context, signal), 0)
    assert.equal((await estimateDevices(context, signal)).offline, 1)
  })

  it('a delivery is due from its time on, unless its event type is paused', async () => {
    const partnerId = newId()
    const endpointId = newId()
    await sql`insert into partners (id, name, created_at) values (${partnerId}, 'P', now())`
    await sql`
      insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
      values (${endpointId}, ${partnerId}, 'https://example.com', '{}', '', now())`
    const deliver = (type: string, at: Date | null) => sql`
      insert into webhook_deliveries (endpoint_id, event_id, type, payload, state, queued_at, next_attempt_at)
      values (${endpointId}, ${newId()}, ${type}, '', ${at ? 'pending' : 'delivered'}, now(), ${at})`
    const before = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000)
    await deliver('device.claimed', null)
    await deliver('device.claimed', before(-60))
    assert.deepEqual(await readWebhookBacklog(context, signal), { pending: 1, oldest_due_seconds: 0 })
    await deliver('device.claimed', before(20))
    await deliver('device.removed', before(90))
    assert.deepEqual(await readWebhookBacklog(context, signal), { pending: 3, oldest_due_seconds: 90 })
    await sql`
      insert into webhook_failing_types (endpoint_id, type, failures, paused_until)
      values (${endpointId}, 'device.removed', 5, ${before(-60)})`
    assert.deepEqual(await readWebhookBacklog(context, signal), { pending: 3, oldest_due_seconds: 20 })
  })
})

describe('/metrics and its key', () => {
  it('the metrics key opens /metrics, and nothing else', async () => {
    for (const key of [metricsKey, operatorKey]) {
      assert.equal((await get('/metrics', key)).statusCode, 200)
      assert.equal((await get('/metrics', `Bearer ${key}`)).statusCode, 200)
    }
    for (const key of [undefined, '', `${metricsKey}x`, metricsKey.slice(1)]) {
      assert.equal((await get('/metrics', key)).statusCode, 401)
    }
    const { paths } = (await get('/openapi.json')).json() as { paths: Record<string, { get?: object }> }
    const operatorPaths = Object.keys(paths)
      .filter((path) => path.startsWith('/core/v1/operator/') && paths[path]!.get)
      .map((path) => path.replaceAll(/\{\w+\}/g, newId()))
    assert.ok(operatorPaths.length > 5)
    for (const path of [...operatorPaths, '/core/v1/organization/devices', '/core/v1/partner/models']) {
      for (const authorization of [metricsKey, `Bearer ${metricsKey}`]) {
        assert.equal((await get(path, authorization)).statusCode, 401, path)
      }
    }
  })

  it('without the setting, no key but the operator’s is accepted', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer null', 'null', metricsKey]) {
      const { statusCode } = await other.app.inject({ url: '/metrics', headers: { authorization } })
      assert.equal(statusCode, 401)
    }
  })
})

describe('dashboard and alerts', () => {
  it('every metric that the dashboard or an alert names is exposed', async () => {
    const exposed = exposedBy(await scrape())
    const dashboard = JSON.parse(await deploy('grafana-dashboard.json'))
    const expressions: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
      (panel.targets ?? []).map(({ expr }) => expr),
    )
    const alerts = await deploy('prometheus-alerts.yaml')
    const rules = alerts.split(/^ +- alert: /m).slice(1)
    assert.ok(expressions.length > 20 && rules.length > 10)
    for (const text of [...expressions, ...rules]) {
      const names = namesIn(text)
      assert.ok(names.length > 0, text)
      for (const name of names) assert.ok(exposed.has(name), `${name} in ${text}`)
    }
    for (const rule of rules) {
      for (const part of [
        /^ +for: \d+[mh]$/m,
        /^ +severity: (critical|warning)$/m,
        /^ +summary: .+/m,
        /^ +description: .+/m,
      ]) {
        assert.match(rule, part)
      }
    }
  })

  it('every metric of Landbridge is in the manual, and the manual names no other', async () => {
    const own = [...(await scrape()).matchAll(/^# TYPE (landbridge_\w+) /gm)].map(([, name]) => name!)
    const manual = await readFile(new URL('../docs/operate.md', import.meta.url), 'utf8')
    const named = new Set(namesIn(manual).filter((name) => name.startsWith('landbridge_')))
    assert.deepEqual(
      own.filter((name) => !named.has(name)),
      [],
    )
    const exposed = exposedBy(await scrape())
    assert.deepEqual(
      [...named].filter((name) => !exposed.has(name)),
      [],
    )
  })
})
