import type { Context } from '../../context.ts'
import { type DeviceQuery, listDevices } from '../../devices/registry/device-lists.ts'
import type { Device } from '../../devices/registry/devices.ts'
import { spacesWithin } from '../../directory/organization/spaces.ts'
import type { Page } from '../../platform/http/pagination.ts'

/** Whoever asks for a building means its rooms too. */
export async function listDevicesOfCustomer(
  context: Context,
  customerId: string,
  { space_id, ...query }: Omit<DeviceQuery, 'space_ids'> & { space_id?: string },
): Promise<Page<Device>> {
  const space_ids = space_id === undefined ? undefined : await spacesWithin(context, customerId, space_id)
  return await listDevices(context, { customer_id: customerId }, { ...query, space_ids })
}
