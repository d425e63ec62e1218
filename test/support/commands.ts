import { newIdBeside } from '../../server/src/devices/bucket.ts'
import {
  insertCommands,
  lockStates,
  readCommandRoom,
} from '../../server/src/devices/telemetry-store/telemetry-store.ts'
import { transaction } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'

export interface QueuedCommand {
  device_id: string
  partner_id: string
  customer_id: string
  name?: string
  parameters?: Record<string, unknown>
  expires_after?: number
  timeout?: number
}

/** A command for a device, whatever its model declares; its id. */
export async function queueCommand(sql: Pool, command: QueuedCommand): Promise<string> {
  const { device_id, partner_id, customer_id, name = 'reboot', parameters = {} } = command
  const { expires_after = 3_600, timeout = 300 } = command
  return await transaction(sql, async (tx) => {
    await lockStates(tx, [device_id])
    const [room] = await readCommandRoom(tx, [device_id])
    const id = newIdBeside(device_id)
    const created = { id, device_id, partner_id, head: room!.waiting === 0, variant: 0 }
    const variant = { name, batch_id: null, label: null, parameters, secret: [], sealed: null, expires_after, timeout }
    const origin = { customer_id, source: 'portal', created_by: null, client_id: null } as const
    await insertCommands(tx, [created], [variant], origin)
    return id
  })
}

/** Lets time pass for one command: all its instants are so many seconds earlier. */
export async function ageCommand(sql: Pool, id: string, seconds: number): Promise<void> {
  const age = sql`make_interval(secs => ${seconds})`
  await sql`
    update device_commands set created_at = created_at - ${age}, expires_at = expires_at - ${age}, due_at = due_at - ${age},
      sent_at = sent_at - ${age}, delivered_at = delivered_at - ${age}, started_at = started_at - ${age}
    where id = ${id}`
}

/** What must always hold of the commands of a device, whatever happened to it. */
export async function findBrokenRules(sql: Pool): Promise<object[]> {
  const rows = await sql`
    select state.device_id, state.has_command, count(command.id) as waiting, count(*) filter (where command.head) as heads,
      min(command.number) as first, min(command.number) filter (where command.head) as head
    from device_states state
    left join device_commands command on command.bucket = state.bucket and command.device_id = state.device_id
      and command.state in ('queued', 'sent', 'in_progress')
    group by state.device_id, state.has_command
    having state.has_command <> (count(command.id) > 0)
      or count(*) filter (where command.head) <> (case when count(command.id) > 0 then 1 else 0 end)
      or min(command.number) is distinct from min(command.number) filter (where command.head)
    union all
    select device_id, null, null, null, number, null from device_commands
    where (head or due_at is not null or sealed is not null) and state not in ('queued', 'sent', 'in_progress')
      or due_at is null and state in ('queued', 'sent', 'in_progress')`
  return [...rows]
}
