import type { Actor } from '../events/audit.ts'
import type { Sql } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { reachOfCredential, whereTo } from './permissions.ts'
import * as store from './store/command-withdrawals-sql.ts'

export {
  type CommandWithdrawal,
  continueCommandWithdrawal,
  endCommandWithdrawal,
  hasCommandWithdrawals,
  listCommandWithdrawals,
  takeCommandWithdrawal,
} from './store/command-withdrawals-sql.ts'

/** The topic of the notification that a withdrawal sends. */
export const withdrawnTopic = 'commands.withdrawn'

/** What an approval or an API key permits, as it is stored. */
export interface StoredReach {
  permissions: Parameters<typeof reachOfCredential>[0]
  within: readonly string[] | null
}

interface Client {
  client_id: string
  /** Null: every customer. */
  customer_id: string | null
  actor: Actor
}

/** The spaces in which a client may command devices, with everything below them; null: everywhere. */
export function mayCommandWithin({ permissions, within }: StoredReach): readonly string[] | null {
  return whereTo(reachOfCredential(permissions, within), 'devices: command')
}

/**
 * In the transaction in which a client ends: from its commit on no device is handed a command that the client has queued,
 * and they are canceled (decision 7.92). What creates commands holds the client, so that none is on its way.
 */
export async function withdrawCommands(sql: Sql, client: Client, before?: StoredReach): Promise<void> {
  if (before && mayCommandWithin(before)?.length === 0) return
  await store.insertCommandWithdrawal(sql, { id: newId(), ...client, within: [] })
}

/** The same for what a client may no longer command. */
export async function withdrawCommandsBeyond(
  sql: Sql,
  client: Client,
  before: StoredReach,
  after: StoredReach,
): Promise<void> {
  const [had, has] = [mayCommandWithin(before), mayCommandWithin(after)]
  const lostNothing = has === null || had?.every((space) => has.includes(space))
  if (!lostNothing) await store.insertCommandWithdrawal(sql, { id: newId(), ...client, within: has })
}
