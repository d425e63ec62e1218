import type { DeclaredCommands } from './devices/commands/declared-commands.ts'
import type { DictionaryEntry } from './devices/store/dictionaries.ts'

/** What the lab's model declares, so that its devices can be told something at once; `examples/controlled-fleet` obeys it. */
export const labCommands: DeclaredCommands['commands'] = [
  {
    name: 'set_point',
    label: 'Set point',
    description: 'Heats to this temperature from now on.',
    parameters: [
      { key: 'celsius', type: 'number', label: 'Temperature in °C', required: true, min: 5, max: 30 },
      { key: 'mode', type: 'text', label: 'Mode', values: ['comfort', 'eco'] },
    ],
  },
  {
    name: 'self_test',
    label: 'Self-test',
    description: 'Takes some seconds, and reports how far it is.',
    timeout: 60,
  },
  {
    name: 'reboot',
    label: 'Reboot',
    description: 'Restarts the device, which is away for some seconds.',
    confirm: true,
    requires_online: true,
    expires_after: 300,
  },
]

export const labDataPoints: DictionaryEntry[] = [
  { key: 'temperature', type: 'number', label: 'Temperature', unit: '°C', decimals: 1, chart: true },
  { key: 'humidity', type: 'number', label: 'Humidity', unit: '%' },
  { key: 'heating', type: 'boolean', label: 'Heating' },
  { key: 'set_point', type: 'number', label: 'Set point', unit: '°C', decimals: 1, min: 5, max: 30, settable: true },
  { key: 'mode', type: 'text', label: 'Mode', values: [{ value: 'comfort' }, { value: 'eco' }], settable: true },
]
