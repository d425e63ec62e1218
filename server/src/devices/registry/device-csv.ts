import { csvHeader, csvLine, csvText } from '../../platform/csv.ts'
import type { Context } from '../context.ts'
import { findOwn } from '../store/device-changes-sql.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { findModelNames } from '../store/models-sql.ts'
import { type Device, withDetails } from './device-details.ts'
import { type DeviceQuery, listDevices } from './device-lists.ts'

/** Few: while a page is written, no other request of this process is served. */
const devicesAtOnce = 40

const header = [
  'name',
  'status',
  'since',
  'reason',
  'alarm',
  'last_seen_at',
  'model',
  'space',
  'mac',
  'serial_number',
  'firmware_version',
  'tags',
  'note',
  'registered_at',
  'claimed_at',
  'id',
]

/** All that match, as RFC 4180. The first page is read before the response starts, so that a wrong query is refused. */
export async function writeMatchingCsv(
  context: Context,
  owner: CustomerOwner,
  query: Omit<DeviceQuery, 'limit' | 'after'>,
): Promise<AsyncIterable<string>> {
  const read = (after?: string) =>
    listDevices(context, owner, { ...query, limit: devicesAtOnce, ...(after ? { after } : {}) })
  const first = await read()
  const toLines = lineWriter(context)
  return (async function* write() {
    yield csvHeader(header)
    for (let page = first; ; page = await read(page.next!)) {
      yield await toLines(page.items)
      if (page.next === null) return
    }
  })()
}

/** The devices that were chosen, in the order of the choice; those that are not the customer's are left out. */
export async function writeChosenCsv(context: Context, owner: CustomerOwner, ids: string[]): Promise<string> {
  const own = await findOwn(context.sql, owner, ids)
  const devices = await withDetails(
    context.sql,
    owner,
    own.filter(({ removed_at }) => removed_at === null),
  )
  const live = new Map(devices.map((device) => [device.id, device]))
  const toLines = lineWriter(context)
  return csvHeader(header) + (await toLines([...new Set(ids)].flatMap((id) => live.get(id) ?? [])))
}

/** With the names of models and spaces; the path of a space is one that a list of claims understands. */
function lineWriter(context: Context) {
  const models = new Map<string, string>()
  return async (devices: Device[]): Promise<string> => {
    const unknown = new Set(devices.map(({ model_id }) => model_id).filter((id) => !models.has(id)))
    if (unknown.size > 0) {
      for (const { id, name } of await findModelNames(context.sql, [...unknown])) models.set(id, name)
    }
    return devices
      .map((device) => {
        const { name, status, last_seen_at, mac, sn, firmware_version, tags, note, registered_at, claimed_at } = device
        const broken = [since(device)?.toISOString() ?? '', device.reason ?? '', alarmText(device)]
        const names = [models.get(device.model_id) ?? '', device.space_path.join(' / ')]
        const texts = [mac, sn, firmware_version, tags.join(', '), note ?? '']
        const instants = [registered_at.toISOString(), claimed_at?.toISOString() ?? '']
        const cells = [
          name ?? '',
          status,
          ...broken,
          last_seen_at?.toISOString() ?? '',
          ...names,
          ...texts,
          ...instants,
          device.id,
        ]
        return csvLine(cells.map(csvText))
      })
      .join('')
  }
}

/** Since when it has the status or the alarm that is its reason. */
function since({ reason, alarm, status_at }: Device): Date | null {
  return reason === 'alarm' ? (alarm?.since ?? null) : status_at
}

function alarmText({ alarm }: Device): string {
  return alarm ? `${alarm.key}: ${alarm.value}` : ''
}
