import type { Context } from '../../directory/context.ts'
import { coalesceByKey } from '../../platform/database/coalesce-by-key.ts'
import { beforeCommit } from '../../platform/database/database.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import type { CommandRow } from '../telemetry-store/telemetry-store.ts'
import { type Commander, type CommandOutcome, type CommandRequest, createEach, type Order } from './create-commands.ts'
import { inTurn, type Outcome } from './in-turn.ts'

export type CreateCommand = (commander: Commander, deviceId: string, request: CommandRequest) => Promise<CommandRow>

/** One command for one device. Those that one credential sends at the same moment share a transaction. */
export function createCommandCreator(context: Context): CreateCommand {
  const call = coalesceByKey<Order & { commander: Commander }, Outcome<CommandOutcome>>(
    // Without its functions: who is the same in all that is written holds the same credential.
    ({ commander }) => JSON.stringify(commander),
    (orders) => inTurn(orders, (some) => createEach(context, some[0]!.commander, some)),
    { max: commandLimits.devicesPerCall },
  )
  return async (commander, deviceId, request) => {
    const order = { commander, device_id: deviceId.toLowerCase(), request, batch_id: null }
    // What an Idempotency-Key records is of one request, and so is its transaction.
    const outcome = beforeCommit.getStore() ? (await createEach(context, commander, [order]))[0]! : await call(order)
    if ('failure' in outcome) throw outcome.failure
    if ('refusal' in outcome) throw outcome.refusal
    return outcome.command
  }
}
