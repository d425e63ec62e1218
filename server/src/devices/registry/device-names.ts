import type { Context } from '../context.ts'
import * as store from '../store/device-names-sql.ts'
import type { CustomerOwner, Owner } from '../store/devices-sql.ts'

/** The current names of the devices and models among the ids, as the owner knows them; null is the operator. */
export async function findDeviceNames({ sql }: Context, owner: Owner | null, ids: string[]) {
  return await store.findDeviceNames(sql, owner, ids)
}

/** Those of the ids that are devices which the owner reaches. */
export async function reachedDevices({ sql }: Context, owner: CustomerOwner, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.listReached(sql, owner, ids))
}
