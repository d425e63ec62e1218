import { DeviceRemoved, LandbridgeError } from './errors.ts'

/** MQTT 5, 2.4. The kit sends no will and publishes to the device's own topic only, so a removal is all that this can mean. */
const notAuthorized = 0x87
const administrativeAction = 0x98

/** What the service calls the same refusal over HTTP. */
const codes: Record<number, string> = {
  134: 'invalid_access_key',
  136: 'overloaded',
  137: 'overloaded',
  149: 'too_large',
  153: 'invalid',
}

/** A refused connection or message; by a word where there is one, otherwise `mqtt_` and the reason code. */
export function refusalOf(cause: Error & { code?: number | string }): LandbridgeError {
  const { code, message } = cause
  if (typeof code !== 'number') return new LandbridgeError('mqtt_error', message, { cause })
  if (code === notAuthorized) return removed(cause)
  return new LandbridgeError(codes[code] ?? `mqtt_${code}`, message, { cause })
}

/** The service ends the connection of a device that is removed. */
export function isRemoval({ cmd, reasonCode }: { cmd: string; reasonCode?: number }): boolean {
  return cmd === 'disconnect' && reasonCode === administrativeAction
}

export function removed(cause?: Error): DeviceRemoved {
  return new DeviceRemoved('device_removed', 'The device was removed.', { cause })
}
