import type { Context } from '../context.ts'
import type { Owner } from '../store/devices.ts'
import * as store from '../store/names.ts'

/** The current names of the devices and models among the ids, as the owner knows them; null is the operator. */
export async function findDeviceNames({ sql }: Context, owner: Owner | null, ids: string[]) {
  return await store.findDeviceNames(sql, owner, ids)
}
