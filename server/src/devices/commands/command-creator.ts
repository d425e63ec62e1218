import type { Context } from '../../directory/context.ts'
import { coalesceByKey } from '../../platform/database/coalesce-by-key.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import type { CommandRow } from '../telemetry-store/telemetry-store.ts'
import { type Commander, type CommandOutcome, type CommandRequest, createEach, type Order } from './create-commands.ts'

export type CreateCommand = (commander: Commander, deviceId: string, request: CommandRequest) => Promise<CommandRow>

/** One command for one device. Those that one credential sends at the same moment share a transaction. */
export function createCommandCreator(context: Context): CreateCommand {
  const call = coalesceByKey<Order & { commander: Commander }, CommandOutcome | { failure: unknown }>(
    // Without its functions: who is the same in all that is written has the same credential.
    ({ commander }) => JSON.stringify(commander),
    async (orders) => {
      const outcomes = new Map<Order, CommandOutcome | { failure: unknown }>()
      for (const some of inTurn(orders)) {
        // Not those of the other transactions with it, which have committed.
        const created = await createEach(context, orders[0]!.commander, some).catch((failure: unknown) =>
          some.map(() => ({ failure })),
        )
        for (const [index, order] of some.entries()) outcomes.set(order, created[index]!)
      }
      return orders.map((order) => outcomes.get(order)!)
    },
    { max: commandLimits.devicesPerCall },
  )
  return async (commander, deviceId, request) => {
    const outcome = await call({ commander, device_id: deviceId.toLowerCase(), request, batch_id: null })
    if ('failure' in outcome) throw outcome.failure
    if ('refusal' in outcome) throw outcome.refusal
    return outcome.command
  }
}

/** Divided so that each part has one order of a device at most, the earlier ones first. */
function inTurn<One extends Order>(orders: readonly One[]): One[][] {
  const parts: One[][] = []
  const counts = new Map<string, number>()
  for (const order of orders) {
    const before = counts.get(order.device_id) ?? 0
    counts.set(order.device_id, before + 1)
    parts[before] ??= []
    parts[before].push(order)
  }
  return parts
}
