import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Pool } from '../../platform/database/sql.ts'
import { listSettings } from '../telemetry-store/telemetry-store.ts'
import { judgeSettings, worstOf } from './setting-states.ts'
import { documentOf, readSettable } from './settings-judgement.ts'
import { judgeAgain } from './settings-lists.ts'

const devicesAtOnce = 500
/** Beyond it, devices are left out: their next message finds the same. */
const maxWaiting = 50_000

/** Carries over to device lists what messages say about settings (decision 7.95). */
export interface SettingsCarrier {
  /** After the commit of messages of these devices, all of which have settings. Never fails, and nobody waits for it. */
  check(deviceIds: readonly string[]): void
}

export function createSettingsCarrier({ sql, log }: Pick<BaseContext, 'sql' | 'log'>): SettingsCarrier {
  const waiting = new Set<string>()
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, devicesAtOnce)
      for (const id of ids) waiting.delete(id)
      try {
        await compare(sql, ids)
      } catch (error) {
        log.warn({ err: error, devices: ids.length }, 'settings not compared: the next messages will be')
      }
    }
    running = false
  }

  return {
    check(deviceIds) {
      for (const id of deviceIds) if (waiting.size < maxWaiting) waiting.add(id)
      if (!running) void run()
    },
  }
}

/** Two reads for most messages: what they say is what lists show already. */
async function compare(sql: Pool, deviceIds: readonly string[]): Promise<void> {
  const rows = await listSettings(sql, deviceIds)
  const settable = await readSettable(
    sql,
    rows.map(({ model_id }) => model_id),
  )
  const changed = rows.filter((row) => {
    const reported = new Map(Object.entries(row.reported))
    const judged = judgeSettings(documentOf(row).desired, settable.get(row.model_id)!, reported)
    return worstOf(judged.values()) !== row.state
  })
  if (changed.length === 0) return
  const ids = changed.map(({ device_id }) => device_id)
  await transaction(sql, (tx) => judgeAgain(tx, ids))
}
