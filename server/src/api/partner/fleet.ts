import type { Context } from '../../context.ts'
import { type DeviceQuery, listDevices } from '../../devices/registry/device-lists.ts'
import { type Device, type DeviceWithState, getDevice } from '../../devices/registry/devices.ts'
import type { Page } from '../../platform/http/pagination.ts'

/** A device as its partner sees it: claimed or not, but never by whom, under what name or in which space (spec 1.5). */
export interface FleetDevice extends Omit<Device, 'partner_id' | 'customer_id' | 'name' | 'space_id'> {
  claimed: boolean
}

export async function listFleet(
  context: Context,
  partnerId: string,
  query: Omit<DeviceQuery, 'space_ids'>,
): Promise<Page<FleetDevice>> {
  const page = await listDevices(context, { partner_id: partnerId }, query)
  return { ...page, items: page.items.map(withoutAccountData) }
}

export async function getFleetDevice(
  context: Context,
  partnerId: string,
  id: string,
): Promise<FleetDevice & Pick<DeviceWithState, 'state'>> {
  const { state, ...device } = await getDevice(context, { partner_id: partnerId }, id)
  return { ...withoutAccountData(device), state }
}

function withoutAccountData({ partner_id: _, customer_id, name: __, space_id: ___, ...device }: Device): FleetDevice {
  return { ...device, claimed: customer_id !== null }
}
