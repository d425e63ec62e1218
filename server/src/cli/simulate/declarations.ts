// What the models of simulated devices declare: one command for each way in which a command can end.
import type { DeclaredCommand } from '../../../../client/src/generated-types.ts'
import type { KindName } from './kinds.ts'

/** What is used of an entry of a data dictionary. */
export interface SettableEntry {
  key: string
  type: 'number' | 'boolean' | 'text'
  label: string
  unit?: string
  min?: number
  max?: number
  settable: true
}

export interface Declaration {
  commands: DeclaredCommand[]
  settable: SettableEntry[]
}

const everyKind: DeclaredCommand[] = [
  {
    name: 'reboot',
    label: 'Reboot',
    description: 'Goes offline, and comes back after some seconds.',
    confirm: true,
    requires_online: true,
    timeout: 120,
  },
  {
    name: 'self_test',
    label: 'Self-test',
    description: 'Slow: takes 20 seconds, and reports how far it is.',
    timeout: 60,
  },
  {
    name: 'calibrate',
    label: 'Calibrate',
    description: 'Fails each time.',
    parameters: [{ key: 'reference', type: 'number', label: 'Reference value', required: true }],
  },
  {
    name: 'set_pin',
    label: 'Set the PIN',
    description: 'With a secret, which nobody can read afterwards.',
    parameters: [{ key: 'pin', type: 'text', label: 'PIN', required: true, max_length: 8, secret: true }],
  },
  {
    name: 'sleep',
    label: 'Sleep',
    description: 'Silent: the device takes it and never reports, so that it expires.',
    expires_after: 60,
    timeout: 20,
  },
]

const setPoint: DeclaredCommand = {
  name: 'set_point',
  label: 'Set point',
  description: 'Heats to this temperature from now on.',
  parameters: [{ key: 'celsius', type: 'number', label: 'Temperature in °C', required: true, min: 5, max: 30 }],
}

const settableOf: Record<KindName, SettableEntry[]> = {
  thermostat: [
    { key: 'setpoint', type: 'number', label: 'Set point', unit: '°C', min: 5, max: 30, settable: true },
    { key: 'mode', type: 'text', label: 'Mode', settable: true },
  ],
  // Above 80 the device refuses, to show what that looks like.
  display: [{ key: 'brightness', type: 'number', label: 'Brightness', unit: '%', min: 0, max: 100, settable: true }],
  amplifier: [{ key: 'muted', type: 'boolean', label: 'Muted', settable: true }],
  meter: [],
}

export function declarationOf(kind: KindName): Declaration {
  const own = kind === 'thermostat' ? [setPoint] : []
  return { commands: [...own, ...everyKind], settable: settableOf[kind] }
}
