import type { Device, Value } from '../../api/organization.ts'
import { briefTime } from '../page/when.tsx'
import { formatValue, labelOf } from './data-points.ts'
import { useDictionary } from './dictionary.ts'

export type Broken = Pick<Device, 'model_id' | 'status_at' | 'reason' | 'alarm' | 'last_seen_at'>

/** Since when a device has the status, or the alarm, that is its reason. */
export function sinceOf({ reason, alarm, status_at }: Broken): string | null {
  return reason === 'alarm' ? (alarm?.since ?? null) : status_at
}

/** Why a device needs attention, in a few words; nothing while it is well. */
export function DeviceReason({ device }: { device: Broken }) {
  if (device.alarm) return <WithAlarm device={device} alarm={device.alarm} />
  const words = wordsOf(device)
  return words && <span title={words}>{words}</span>
}

/** In the partner's words, once they are loaded. */
function WithAlarm({ device, alarm }: { device: Broken; alarm: NonNullable<Broken['alarm']> }) {
  const dictionary = useDictionary(device.model_id) ?? new Map()
  const value = `${labelOf(dictionary, alarm.key)}: ${formatValue(dictionary, alarm.key, alarm.value as Value)}`
  const text = [wordsOf(device), value].filter(Boolean).join('. ')
  return (
    <span title={text} style={{ color: 'var(--mantine-color-error)' }}>
      {text}
    </span>
  )
}

function wordsOf({ reason, last_seen_at }: Broken): string | null {
  switch (reason) {
    case 'reported_error':
      return 'Device reports an error'
    case 'connection_lost':
      return 'Connection lost'
    case 'no_telemetry':
      return last_seen_at ? `No telemetry since ${briefTime(new Date(last_seen_at))}` : 'No telemetry'
    case 'reported_offline':
      return 'Device reported offline'
    case 'never_seen':
      return 'Has sent nothing yet'
    default:
      return null
  }
}
