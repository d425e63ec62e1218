import type { Context } from '../../directory/context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { commandChangedTopic, commandTopic, fleetCommandTopic } from '../live/topics.ts'
import type { CanceledCommand, CommandHead, SettledCommand } from '../telemetry-store/telemetry-store.ts'

/** What a transaction has changed about the commands of devices. */
export interface CommandNews {
  /** Commands that became the first of their device: its partner's cloud is told, without their content. */
  heads?: readonly CommandHead[]
  /** Devices that are to fetch their command: those of `heads`, unless told otherwise. */
  devices?: readonly string[]
  /** Partners whose cloud may take a command: those of `heads`, unless told otherwise. */
  partners?: readonly string[]
  /** Commands whose state has changed, for those who wait for that. */
  changed?: readonly { id: string }[]
}

/** In the transaction of the change, in as many statements for a thousand devices as for one. */
export async function announceCommands(context: Context, sql: Sql, news: CommandNews): Promise<void> {
  const { heads = [], changed = [] } = news
  const { devices = heads.map(({ device_id }) => device_id), partners = heads.map(({ partner_id }) => partner_id) } =
    news
  const at = context.now()
  const { notifications } = context
  await notifications.publish(sql, commandTopic, [...new Set(devices)])
  await notifications.publish(sql, fleetCommandTopic, [...new Set(partners)])
  await notifications.publish(
    sql,
    commandChangedTopic,
    changed.map(({ id }) => id),
  )
  const events = heads.map(({ id, device_id, partner_id, expires_at }) => {
    const data = { device_id, command_id: id, expires_at: expires_at.toISOString() }
    return { type: 'device.command' as const, at, partner_id, data }
  })
  await queueEvent(sql, ...events)
}

/** What ended by itself. `unknown` has not ended: a late report still counts. */
export async function recordSettled(context: Context, sql: Sql, settled: readonly SettledCommand[]): Promise<void> {
  const at = context.now()
  const expired = settled.filter(({ state }) => state === 'expired')
  await recordAudit(
    sql,
    ...expired.map(({ id, device_id, customer_id, name, state }) => {
      const details = { command_id: id, name, state }
      return {
        type: 'command.finished' as const,
        at,
        actor: { kind: 'system' as const },
        customer_id,
        device_id,
        details,
      }
    }),
  )
}

export async function recordCanceled(
  context: Context,
  sql: Sql,
  actor: Actor,
  canceled: readonly CanceledCommand[],
): Promise<void> {
  const at = context.now()
  await recordAudit(
    sql,
    ...canceled.map(({ id, device_id, customer_id, name }) => {
      const details = { command_id: id, name, state: 'canceled' }
      return { type: 'command.canceled' as const, at, actor, customer_id, device_id, details }
    }),
  )
}
