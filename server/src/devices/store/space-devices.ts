import { cancelWhen, type Sql } from '../../platform/database/sql.ts'

export interface SpaceDevice {
  id: string
  number: number
  model_id: string
  claimed_at: Date
}

/** Devices of the spaces, by id. */
export async function listSpaceDevices(
  sql: Sql,
  customerId: string,
  spaceIds: string[],
  { after, limit }: { after: string; limit: number },
  signal: AbortSignal | undefined,
): Promise<SpaceDevice[]> {
  const statement = sql<SpaceDevice[]>`
    select id, number, model_id, claimed_at from devices
    where customer_id = ${customerId} and space_id = any(${spaceIds}::uuid[]) and space_id is not null and id > ${after}
    order by id limit ${limit}`
  return await cancelWhen(signal, statement)
}
