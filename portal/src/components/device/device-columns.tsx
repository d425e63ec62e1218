import type { Device, DeviceTotal } from '../../api/organization.ts'
import { When } from '../page/when.tsx'
import type { ChoosableColumn } from '../table/columns.tsx'
import { type Broken, DeviceReason, sinceOf } from './device-reason.tsx'
import { StatusBadge } from './status.tsx'

type Known = Broken & Pick<Device, 'status' | 'mac' | 'firmware_version' | 'registered_at'>

/**
 * The columns of a device that customers and partners both see, by name. Too many devices cannot be sorted by what
 * changes with every message or status.
 */
export function deviceColumns<Item extends Known>(models: Map<string, string>, total: DeviceTotal | undefined) {
  const column = (name: string, rest: Omit<ChoosableColumn<Item>, 'name'>): ChoosableColumn<Item> => ({ name, ...rest })
  const few = (sort: string) => (total?.more ? undefined : sort)
  return {
    status: column('status', {
      label: 'Status',
      cell: ({ status }) => <StatusBadge status={status} />,
      width: 115,
      sort: 'status',
    }),
    since: column('since', {
      label: 'Since',
      cell: (device) => <When at={sinceOf(device)} never="" short />,
      width: 105,
      wide: true,
      sort: few('status_at'),
    }),
    reason: column('reason', { label: 'Reason', cell: (device) => <DeviceReason device={device} />, wide: true }),
    lastSeen: column('last_seen_at', {
      label: 'Last seen',
      cell: ({ last_seen_at }) => <When at={last_seen_at} short />,
      width: 112,
      wide: true,
      sort: few('last_seen_at'),
    }),
    model: column('model', {
      label: 'Model',
      cell: ({ model_id }) => models.get(model_id),
      wide: 'xl',
      sort: 'model',
    }),
    mac: column('mac', { label: 'MAC', cell: ({ mac }) => mac, width: 152, wide: 'lg', mono: true, sort: 'mac' }),
    firmware: column('firmware_version', {
      label: 'Firmware',
      cell: ({ firmware_version }) => firmware_version,
      width: 100,
      wide: true,
    }),
    registered: column('registered_at', {
      label: 'Registered',
      cell: ({ registered_at }) => <When at={registered_at} short />,
      width: 120,
      wide: true,
      sort: 'registered_at',
    }),
  }
}
