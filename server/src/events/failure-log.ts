import type { Logger } from 'pino'
import { coalesce } from '../platform/database/coalesce.ts'
import { isFaultOfData } from '../platform/database/database.ts'
import { type Age, agedBefore, type Sql } from '../platform/database/sql.ts'
import type { SharedJob } from '../platform/jobs.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { withoutSecrets } from '../platform/secrets/secrets.ts'
import type { FailureReason } from './failure-reasons.ts'

/** Where it was turned down. */
export type FailureEndpoint =
  | 'authorize'
  | 'token'
  | 'revoke'
  | 'userinfo'
  | 'organization'
  | 'registration'
  | 'telemetry'
  | 'mass_telemetry'
  | 'mqtt'
  | 'webhook'

/**
 * Name whichever is known: a device leads to its model, and either to the partner. What concerns the partner as a whole
 * names only that. Unknown subjects are nobody's.
 */
export interface Failure {
  request_id: string
  endpoint: FailureEndpoint
  status: number
  error: string
  description?: string | undefined
  reason: FailureReason
  detail?: string | undefined
  application_id?: string | undefined
  model_id?: string | undefined
  device_id?: string | undefined
  partner_id?: string | undefined
}

/**
 * Look-ups of the areas that own what a failure names, since events know no other area. What is not found is unknown.
 */
export interface FindSubjects {
  applications(sql: Sql, clientIds: string[]): Promise<{ client_id: string; partner_id: string }[]>
  /** Of models, and of devices: those have a `device_id`. */
  models(sql: Sql, ids: { model_ids: string[]; device_ids: string[] }): Promise<FoundModel[]>
}

export interface FoundModel {
  device_id: string | null
  model_id: string
  partner_id: string
}

export interface IntegrationLog {
  /** Never throws and never waits: call it and answer the request. */
  note(failure: Failure): void
  /** When everything noted so far is written; for shutdown, and for tests. */
  settled(): Promise<void>
}

/** Entries that may wait to be written. Under pressure the rest are dropped: a log must not be a way to do harm. */
const maxWaiting = 2_000
const maxText = 500

export function integrationLog(sql: Sql, now: () => Date, log: Logger, find: FindSubjects): IntegrationLog {
  const pending = new Set<Promise<void>>()
  const write = coalesce(async (rows: Row[]) => {
    await writeAll(rows)
    return rows.map(() => undefined)
  })

  /** What cannot be stored is lost by itself: whoever can bring that about must not blank the log of all. */
  async function writeAll(rows: Row[]): Promise<void> {
    try {
      await insertFailures(sql, await withSubjects(sql, find, rows))
    } catch (error) {
      if (rows.length === 1 || !isFaultOfData(error)) return log.warn({ err: error }, 'integration log not written')
      const half = rows.length >> 1
      await writeAll(rows.slice(0, half))
      await writeAll(rows.slice(half))
    }
  }

  return {
    note(failure) {
      if (write.waiting() >= maxWaiting) return
      const written = write(toRow(failure, now()))
      pending.add(written)
      void written.finally(() => pending.delete(written))
    },
    async settled() {
      await Promise.all(pending)
    },
  }
}

type Row = ReturnType<typeof toRow>

function toRow(failure: Failure, at: Date) {
  // U+0000 is the one character that Postgres does not store.
  const text = (value: string | undefined) =>
    value === undefined ? null : withoutSecrets(value).slice(0, maxText).replaceAll('\0', '\ufffd')
  return {
    id: newId(),
    at: at.toISOString(),
    request_id: failure.request_id,
    endpoint: failure.endpoint,
    status: failure.status,
    error: failure.error,
    description: text(failure.description),
    reason: failure.reason,
    detail: text(failure.detail),
    application_id: failure.application_id ?? null,
    model_id: failure.model_id ?? null,
    device_id: failure.device_id ?? null,
    partner_id: failure.partner_id ?? null,
  }
}

type OwnedRow = Row & { partner_id: string; subject_id: string }

/** Leaves out what is unknown, and whatever belongs to no partner. */
async function withSubjects(sql: Sql, find: FindSubjects, rows: Row[]): Promise<OwnedRow[]> {
  const ids = (key: 'application_id' | 'model_id' | 'device_id') => rows.flatMap((row) => row[key] ?? [])
  const [clientIds, model_ids, device_ids] = [ids('application_id'), ids('model_id'), ids('device_id')]
  const applications = clientIds.length > 0 ? await find.applications(sql, clientIds) : []
  const models = model_ids.length + device_ids.length > 0 ? await find.models(sql, { model_ids, device_ids }) : []
  const partners = new Map(applications.map(({ client_id, partner_id }) => [client_id, partner_id]))
  const found = new Map(models.map((model) => [model.device_id ?? model.model_id, model]))
  return rows.flatMap((row) => {
    const partnerOfApplication = partners.get(row.application_id ?? '')
    const ofDevice = found.get(row.device_id ?? '')
    const model = ofDevice ?? found.get(row.model_id ?? '')
    const application_id = partnerOfApplication ? row.application_id : null
    const partner_id = partnerOfApplication ?? model?.partner_id ?? row.partner_id
    if (partner_id === null) return []
    const model_id = model?.model_id ?? null
    const device_id = ofDevice ? row.device_id : null
    return {
      ...row,
      partner_id,
      subject_id: application_id ?? model_id ?? partner_id,
      application_id,
      model_id,
      device_id,
    }
  })
}

async function insertFailures(sql: Sql, rows: OwnedRow[]): Promise<void> {
  if (rows.length === 0) return
  const column = <Key extends keyof OwnedRow>(key: Key) => rows.map((row) => row[key])
  await sql`
    insert into integration_failures
      (id, partner_id, subject_id, application_id, model_id, device_id, at, request_id, endpoint, status, error,
       description, reason, detail)
    select * from unnest(
      ${column('id')}::uuid[], ${column('partner_id')}::uuid[], ${column('subject_id')}::uuid[],
      ${column('application_id')}::uuid[], ${column('model_id')}::uuid[], ${column('device_id')}::uuid[],
      ${column('at')}::timestamptz[], ${column('request_id')}::text[], ${column('endpoint')}::text[],
      ${column('status')}::int[], ${column('error')}::text[], ${column('description')}::text[],
      ${column('reason')}::text[], ${column('detail')}::text[])`
  await trimKinds(sql, rows)
}

/** Kept of each kind (one subject, one reason), so that a flood of one failure cannot push out another. */
export const keptOfAKind = 100

/** `skip locked`: two processes that trim one kind at once must not wait for each other in a circle. */
async function trimKinds(sql: Sql, kinds: { subject_id: string; reason: string }[]): Promise<void> {
  await sql`
    delete from integration_failures where id in (
      select old.id
      from (select distinct * from unnest(
        ${kinds.map(({ subject_id }) => subject_id)}::uuid[], ${kinds.map(({ reason }) => reason)}::text[]
      ) as kind (subject_id, reason)) kind
      cross join lateral (
        select id from integration_failures
        where subject_id = kind.subject_id and reason = kind.reason
        order by id desc offset ${keptOfAKind}
        for update skip locked
      ) old)`
}

const keptMs = 14 * 86_400_000
const batch = 1_000

export function deleteOldFailuresJob({ sql, now }: { sql: Sql; now: () => Date }): SharedJob {
  return {
    name: 'forget integration failures',
    everySeconds: 600,
    async runShared() {
      const age = { now: now(), milliseconds: keptMs }
      while ((await deleteOldFailures(sql, age, batch)) === batch);
    },
  }
}

async function deleteOldFailures(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from integration_failures where id = any(array(
      select id from integration_failures where at < ${agedBefore(sql, age)} order by at limit ${max} for update skip locked))`
  return count
}
