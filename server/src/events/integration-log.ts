import type { Logger } from 'pino'
import { coalesce } from '../platform/database/coalesce.ts'
import { isFaultOfData } from '../platform/database/database.ts'
import type { Sql } from '../platform/database/sql.ts'
import { newestFirst, type Page, type PageRequest, toPage } from '../platform/http/pagination.ts'
import type { SharedJob } from '../platform/jobs.ts'
import { storedFor } from '../platform/own-limits.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { withoutSecrets } from '../platform/secrets/secrets.ts'
import { adviceFor, type FailureReason } from './failure-reasons.ts'
import * as store from './store/integration-failures.ts'

/** Where the request was refused. */
export type FailureEndpoint =
  | 'authorize'
  | 'token'
  | 'revoke'
  | 'userinfo'
  | 'organization'
  | 'registration'
  | 'telemetry'
  | 'mass_telemetry'
  | 'command'
  | 'config'
  | 'mqtt'
  | 'webhook'

/** Names whatever is known of its subject: a device leads to its model, an application or a model to the partner. */
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

/** Look-ups of the areas that own what a failure names, since events know no other area. */
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
  /** Never throws and never waits, so that a request's response does not depend on it. */
  record(failure: Failure): void
  /** Resolves once everything recorded so far is written. */
  flush(): Promise<void>
}

/** Failures that may wait to be written; more are dropped, so that a flood cannot fill the memory. */
const maxWaiting = 2_000
/** Of refusals by a service that is too busy, or of a caller that sends too much: another write makes it busier. */
const maxWaitingBusy = 100
const maxText = 500

export function createIntegrationLog(sql: Sql, now: () => Date, log: Logger, find: FindSubjects): IntegrationLog {
  const pending = new Set<Promise<void>>()
  const write = coalesce(async (rows: Row[]) => {
    await writeAll(rows)
    return rows.map(() => undefined)
  })

  /** A row that Postgres rejects is lost alone, so that nobody can keep the others out of the log. */
  async function writeAll(rows: Row[]): Promise<void> {
    try {
      const withOwner = await withSubjects(sql, find, rows)
      if (withOwner.length === 0) return
      await store.insertFailures(sql, withOwner)
      await store.deleteAllButNewest(sql, withOwner, storedFor.failuresPerKind)
    } catch (error) {
      if (rows.length === 1 || !isFaultOfData(error)) return log.warn({ err: error }, 'integration log not written')
      const half = rows.length >> 1
      await writeAll(rows.slice(0, half))
      await writeAll(rows.slice(half))
    }
  }

  return {
    record(failure) {
      const isTooMuch = failure.status === 503 || failure.status === 429
      if (write.waiting() >= (isTooMuch ? maxWaitingBusy : maxWaiting)) return
      const written = write(toRow(failure, now()))
      pending.add(written)
      void written.finally(() => pending.delete(written))
    },
    async flush() {
      await Promise.all(pending)
    },
  }
}

type Row = Omit<store.NewFailureRow, 'partner_id' | 'subject_id'> & { partner_id: string | null }

/** A device leads to its model, and an application or model to its partner; a failure without a partner is skipped. */
async function withSubjects(sql: Sql, find: FindSubjects, rows: Row[]): Promise<store.NewFailureRow[]> {
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
    const partner_id = partnerOfApplication ?? model?.partner_id ?? row.partner_id
    if (partner_id === null) return []
    const application_id = partnerOfApplication ? row.application_id : null
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

function toRow(failure: Failure, at: Date): Row {
  // Postgres stores every character but U+0000.
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
    // As Postgres writes them: a caller may have sent an id in capital letters.
    application_id: failure.application_id?.toLowerCase() ?? null,
    model_id: failure.model_id?.toLowerCase() ?? null,
    device_id: failure.device_id?.toLowerCase() ?? null,
    partner_id: failure.partner_id ?? null,
  }
}

export interface ExplainedFailure extends store.FailureRow {
  advice: string
}

/** For a partner's engineer: which request failed, what the client received, the real reason, and what to do. */
export async function readIntegrationLog(
  { sql }: { sql: Sql },
  partnerId: string,
  filter: store.FailureFilter,
  request: PageRequest,
): Promise<Page<ExplainedFailure>> {
  const range = newestFirst(request)
  const rows = await store.listFailures(sql, partnerId, filter, range)
  const explained = rows.map((row) => ({ ...row, advice: adviceFor(row.reason) }))
  return toPage(explained, range, ({ id }) => id)
}

const batch = 1_000

export function deleteOldFailuresJob({ sql, now }: { sql: Sql; now: () => Date }): SharedJob {
  return {
    name: 'old integration failures',
    everySeconds: 600,
    async runShared() {
      const age = { now: now(), milliseconds: storedFor.integrationFailureMilliseconds }
      while ((await store.deleteOldFailures(sql, age, batch)) === batch);
    },
  }
}
