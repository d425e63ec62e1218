import {
  type CommandWithdrawal,
  continueCommandWithdrawal,
  endCommandWithdrawal,
  hasCommandWithdrawals,
  listCommandWithdrawals,
  takeCommandWithdrawal,
  withdrawnTopic,
} from '../../directory/command-withdrawals.ts'
import type { Context } from '../../directory/context.ts'
import type { Actor } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { listIdsOfOwn } from '../store/device-changes-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { cancelLocked } from './cancel-commands.ts'

/** Devices of one transaction: each is a row that is locked until it commits, with up to twenty commands. */
const devicesAtOnce = 500
const batchesPerRun = 20

/** Decision 7.92: goes on with what the transaction of a withdrawal, or an earlier run, has left. */
export function withdrawnCommandsJob(context: Context): SharedJob {
  return {
    name: 'withdrawn commands',
    everySeconds: 10,
    wakeOn: withdrawnTopic,
    hasWork: () => hasCommandWithdrawals(context.sql),
    async runShared() {
      for (let batch = 0; batch < batchesPerRun; batch += 1) {
        const any = await transaction(context.sql, async (sql) => {
          const withdrawal = await takeCommandWithdrawal(sql)
          if (withdrawal) await cancelBatch(context, sql, withdrawal)
          return withdrawal !== undefined
        })
        if (!any) return true
      }
      // At once again, and yet between two runs a process can stop.
      return false
    },
  }
}

/** In the transaction of the withdrawal: few commands are canceled with it, and of many the first. */
export async function cancelWithdrawn(context: Context, sql: Sql, clientId: string): Promise<void> {
  const withdrawal = await takeCommandWithdrawal(sql, clientId)
  if (withdrawal) await cancelBatch(context, sql, withdrawal)
}

async function cancelBatch(context: Context, sql: Sql, withdrawal: CommandWithdrawal): Promise<void> {
  const devices = await telemetry.listDevicesQueuedBy(sql, withdrawal, devicesAtOnce)
  const ids = devices.map(({ device_id }) => device_id)
  if (ids.length > 0) {
    await telemetry.lockStates(sql, ids)
    await cancelOf(context, sql, withdrawal, ids)
  }
  if (ids.length < devicesAtOnce) return await endCommandWithdrawal(sql, withdrawal.id)
  const { customer_id, device_id } = devices.at(-1)!
  await continueCommandWithdrawal(sql, { id: withdrawal.id, after_customer: customer_id, after_device: device_id })
}

/** Before the first commands of devices, whose states are locked, are handed out: none of a client that may no longer. */
export async function cancelWithdrawnOf(context: Context, sql: Sql, deviceIds: readonly string[]): Promise<void> {
  if (!(await hasCommandWithdrawals(sql))) return
  const clients = await telemetry.listClientsOfQueued(sql, deviceIds)
  if (clients.length === 0) return
  for (const withdrawal of await listCommandWithdrawals(sql, clients)) {
    await cancelOf(context, sql, withdrawal, deviceIds)
  }
}

/** Of devices whose states are locked. */
async function cancelOf(
  context: Context,
  sql: Sql,
  { client_id, customer_id, within, actor, at }: CommandWithdrawal,
  deviceIds: readonly string[],
): Promise<void> {
  const kept =
    customer_id === null || within.length === 0
      ? new Set<string>()
      : new Set(await listIdsOfOwn(sql, { customer_id, within }, deviceIds))
  const beyond = deviceIds.filter((id) => !kept.has(id))
  if (beyond.length > 0) await cancelLocked(context, sql, actor as Actor, beyond, { client_id, customer_id, until: at })
}
