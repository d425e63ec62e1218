import { recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import * as store from '../store/firmware-sql.ts'

export type { FirmwareReport } from '../store/firmware-sql.ts'

/** With the span of the message that brought it, while it is traced. */
type Report = store.FirmwareReport & { traceparent?: string | undefined }

/** Each change leaves an audit event: a device that changes its version with every message must not fill the log. */
const changesPerMinute = 6

/**
 * Records the firmware version that an authenticated device reports; resolves once it is committed. Most reports repeat
 * the known version and share one select.
 */
export function createFirmwareReporter(context: BaseContext) {
  return coalesce(async (reports: Report[]): Promise<undefined[]> => {
    const newest = new Map<string, Report>()
    for (const report of reports) {
      if (report.at >= (newest.get(report.device_id)?.at ?? Number.NEGATIVE_INFINITY))
        newest.set(report.device_id, report)
    }
    const known = await store.listFirmware(context.hot, [...newest.keys()])
    const differing = known.flatMap(({ device_id, firmware_version }) => {
      const report = newest.get(device_id)!
      return report.firmware_version === firmware_version ? [] : [report]
    })
    const accepted = await withinLimit(context, differing)
    if (accepted.length > 0) {
      await transaction(context.sql, async (sql) => {
        const changes = await store.updateReported(sql, accepted)
        await recordFirmwareChanges(context, sql, changes, (id) => newest.get(id)?.traceparent)
      })
    }
    return reports.map(() => undefined)
  })
}

async function withinLimit(context: BaseContext, reports: store.FirmwareReport[]): Promise<store.FirmwareReport[]> {
  const verdicts = await Promise.all(
    reports.map(({ device_id }) => context.limits.take(`firmware ${device_id}`, changesPerMinute)),
  )
  return reports.filter((report, index) => {
    if (!verdicts[index]) context.log.warn({ device_id: report.device_id }, 'firmware changes too often: not recorded')
    return verdicts[index]
  })
}

/** In the transaction of the change itself. */
export async function recordFirmwareChanges(
  context: BaseContext,
  sql: Sql,
  changes: store.FirmwareChange[],
  traceparentOf: (deviceId: string) => string | undefined = () => undefined,
): Promise<void> {
  const at = context.now()
  await recordAudit(
    sql,
    ...changes.map(({ device_id, partner_id, customer_id, ...details }) => ({
      type: 'device.updated' as const,
      at,
      actor: { kind: 'device' as const, id: device_id },
      partner_id,
      customer_id: customer_id ?? undefined,
      device_id,
      details,
    })),
  )
  await queueEvent(
    sql,
    // Without the customer (contract 1.5).
    ...changes.map(({ partner_id, customer_id: _, ...data }) => ({
      type: 'device.updated' as const,
      at,
      partner_id,
      data,
      traceparent: traceparentOf(data.device_id),
    })),
  )
}
