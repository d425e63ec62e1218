import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newModel, online, post, register } from '../../../test/support/devices.ts'
import { startHarness } from '../../../test/support/harness.ts'
import { findModelsOf } from '../devices/registry/models.ts'
import { findPartnersOfApplications } from '../directory/partners/applications.ts'
import { runJob } from '../platform/jobs.ts'
import { storedFor } from '../platform/own-limits.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { mintSecret, type SecretKind, secretPrefixes } from '../platform/secrets/secrets.ts'
import { createIntegrationLog, deleteOldFailuresJob, type Failure } from './integration-log.ts'

const service = await startHarness()
const { sql, context, clock } = service

async function newApplication(): Promise<{ partnerId: string; clientId: string }> {
  const [partnerId, clientId] = [newId(), newId()]
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'P', now())`
  await sql`
    insert into applications (client_id, partner_id, name, redirect_uris, id_token_alg, created_at)
    values (${clientId}, ${partnerId}, 'A', '{}', 'RS256', now())`
  return { partnerId, clientId }
}

const failure = (more: Partial<Failure>): Failure => ({
  request_id: 'r1',
  endpoint: 'token',
  status: 400,
  error: 'invalid_grant',
  reason: 'code_expired',
  ...more,
})

describe('integration log', () => {
  it('a failure is stored for its partner; one of an unknown application is dropped', async () => {
    const { partnerId, clientId } = await newApplication()
    context.integrationLog.record(failure({ application_id: clientId }))
    context.integrationLog.record(failure({ application_id: newId() }))
    context.integrationLog.record(failure({}))
    await context.integrationLog.flush()
    const rows = await sql`select partner_id, subject_id, reason from integration_failures`
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ partner_id: partnerId, subject_id: clientId, reason: 'code_expired' }],
    )
  })

  it('an id in capital letters is the same id', async () => {
    const { clientId } = await newApplication()
    context.integrationLog.record(failure({ application_id: clientId.toUpperCase() }))
    const device = await register(service, await newModel(service))
    const path = `/v1/devices/${device.id.toUpperCase()}/telemetry`
    assert.equal((await post(service, path, online({ n: 1 }), { authorization: 'wrong' })).status, 401)
    await context.integrationLog.flush()
    const rows = await sql`
      select reason from integration_failures where application_id = ${clientId} or device_id = ${device.id} order by 1`
    assert.deepEqual(
      rows.map(({ reason }) => reason),
      ['access_key_wrong', 'code_expired'],
    )
  })

  it('a flood of one failure keeps its newest entries and pushes out no other failure', async () => {
    const { clientId } = await newApplication()
    context.integrationLog.record(failure({ application_id: clientId, reason: 'secret_wrong', request_id: 'precious' }))
    for (let n = 0; n < storedFor.failuresPerKind * 3; n += 1) {
      context.integrationLog.record(failure({ application_id: clientId, request_id: `flood ${n}` }))
    }
    await context.integrationLog.flush()
    const rows = await sql<{ request_id: string }[]>`
      select request_id from integration_failures where subject_id = ${clientId} order by id`
    assert.equal(rows.length, storedFor.failuresPerKind + 1)
    assert.ok(rows.some(({ request_id }) => request_id === 'precious'))
  })

  it('no secret of any kind is stored, not even inside text that a caller sent', async () => {
    const { clientId } = await newApplication()
    const kinds = Object.keys(secretPrefixes) as SecretKind[]
    const secrets = kinds.map((kind) => mintSecret(kind))
    for (const secret of secrets) {
      const text = `redirect_uri was https://x.test/?code=${secret}&x=1`
      context.integrationLog.record(failure({ application_id: clientId, description: text, detail: text }))
    }
    await context.integrationLog.flush()
    const rows = await sql<{ row: string }[]>`
      select row_to_json(f)::text as row from integration_failures f where subject_id = ${clientId}`
    assert.equal(rows.length, secrets.length)
    for (const secret of secrets) for (const { row } of rows) assert.ok(!row.includes(secret.slice(8)))
  })

  it('characters that Postgres cannot store are replaced', async () => {
    const { clientId } = await newApplication()
    const text = 'nul \0 and half a pair \ud800'
    context.integrationLog.record(failure({ application_id: clientId, description: text, detail: text }))
    await context.integrationLog.flush()
    const rows = await sql`select description, detail from integration_failures where subject_id = ${clientId}`
    const stored = 'nul \ufffd and half a pair \ufffd'
    assert.deepEqual({ ...rows[0] }, { description: stored, detail: stored })
  })

  it('a failure that cannot be stored does not keep the others of its batch out', async () => {
    const { clientId } = await newApplication()
    const ids = [clientId, 'nonsense', clientId, clientId, 'nonsense']
    for (const application_id of ids) context.integrationLog.record(failure({ application_id }))
    await context.integrationLog.flush()
    const rows = await sql`select 1 from integration_failures where subject_id = ${clientId}`
    assert.equal(rows.length, 3)
  })

  it('one run of the job deletes all old failures', async () => {
    const { partnerId, clientId } = await newApplication()
    await sql`
      insert into integration_failures (id, partner_id, subject_id, at, request_id, endpoint, status, error, reason)
      select gen_random_uuid(), ${partnerId}, ${clientId}, ${context.now()}, 'r', 'token', 400, 'e', 'code_expired'
      from generate_series(1, 10001)`
    clock.forward(15 * 86_400)
    context.integrationLog.record(failure({ application_id: clientId, reason: 'secret_wrong' }))
    await context.integrationLog.flush()
    await runJob(sql, deleteOldFailuresJob(context))
    const rows = await sql`select reason from integration_failures where subject_id = ${clientId}`
    assert.deepEqual(
      rows.map(({ reason }) => reason),
      ['secret_wrong'],
    )
  })

  it('without a database nothing throws', async () => {
    const find = { applications: findPartnersOfApplications, models: findModelsOf }
    const refused = (() => Promise.reject(new Error('down'))) as never
    const refusing = createIntegrationLog(refused, context.now, context.log, find)
    refusing.record(failure({ application_id: newId() }))
    await refusing.flush()
  })

  for (const [kind, status, most] of [
    ['failures', 400, 2_000],
    ['refusals of a service that is too busy', 503, 100],
    ['refusals of a caller that sends too much', 429, 100],
  ] as const) {
    it(`of ${kind} no more than ${most} wait; the others are dropped`, async () => {
      let written = 0
      const applications = async (_: unknown, clientIds: string[]) => {
        written += clientIds.length
        return []
      }
      const log = createIntegrationLog(sql, context.now, context.log, { applications, models: findModelsOf })
      for (let n = 0; n < 3_000; n += 1) log.record(failure({ application_id: newId(), status }))
      await log.flush()
      assert.equal(written, most)
    })
  }
})
