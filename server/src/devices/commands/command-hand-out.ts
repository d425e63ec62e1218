import type { Context } from '../../directory/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perLane } from '../telemetry-store/telemetry-store.ts'
import { confirmDelivery, type HandedOut, handOut } from './hand-out.ts'

/** How a device asks for its command. */
export type Way = 'poll' | 'subscribe' | 'notice'

/** Hand-outs of this process: those of many devices at the same moment share a transaction. */
export interface CommandHandOut {
  /** The device's next command; undefined when there is none. */
  next(deviceId: string, way: Way): Promise<HandedOut | undefined>
  /** The device acknowledged the message that carried its command. */
  confirm(delivered: Delivered): Promise<void>
}

export interface Delivered {
  device_id: string
  id: string
}

/** Devices of one transaction: each is a row that is locked until it commits. */
const maxDevices = 200
const atOnce = 2

export function createCommandHandOut(context: Context): CommandHandOut {
  const { sql } = context
  const of = (way: Way) =>
    perLane(
      sql,
      (deviceId: string) => deviceId,
      () =>
        coalesce(
          async (deviceIds: string[]) => {
            const found = await handOut(context, [...new Set(deviceIds)], way)
            return deviceIds.map((id) => found.get(id))
          },
          { max: maxDevices, atOnce },
        ),
    )
  const ways = { poll: of('poll'), subscribe: of('subscribe'), notice: of('notice') }
  const confirm = perLane(
    sql,
    ({ device_id }: Delivered) => device_id,
    () =>
      coalesce(async (delivered: Delivered[]) => {
        await confirmDelivery(context, delivered)
        return delivered.map(() => undefined)
      }),
  )
  return { next: (deviceId, way) => ways[way](deviceId), confirm }
}
