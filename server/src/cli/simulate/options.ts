import { parseArgs } from 'node:util'
import { UsageError } from '../usage-error.ts'
import { allKinds } from './believable-devices.ts'
import type { Plan } from './fleet.ts'
import type { KindName } from './kinds.ts'
import { type Protocol, protocols } from './senders.ts'
import type { TargetOptions } from './target.ts'

export interface SimulateOptions extends TargetOptions {
  devices: number
  protocol: Protocol
  kinds: readonly KindName[]
  seed: string
  plan: Plan
  /** Until it is stopped, if null. */
  seconds: number | null
  historyHours: number
  claim: boolean
  json: boolean
}

export const simulateHelp = `Usage: landbridge simulate [options]

Let believable devices register and send: room displays, thermostats, amplifiers and energy meters whose values follow the
hours of the day and the people in their rooms, with outages, firmware updates and removals. Ends with Ctrl-C. A later run
continues with the same devices.

  --devices <n>              how many (default: 100)
  --protocol <name>          mass (mass calls, default), http (one call per message) or mqtt (one connection per device)
  --every <seconds>          between two messages of a device, on average (default: 45; 0: as fast as the service takes them)
  --duration <seconds>       end by itself
  --kind <name>              only ${allKinds.join(', ')}
  --seed <text>              other text, other devices; the same text, the same devices and values (default: landbridge)
  --claim                    claim the devices into the lab's customer, each in its room
  --history <hours>          first send what they would have sent before now, up to 167 hours, every five minutes
  --outages <percent>        of the devices per hour that are away for 2 to 15 minutes (default: 5)
  --updates <percent>        of the devices per hour that get new firmware (default: 10)
  --removals <percent>       of the devices per hour that are removed and replaced (default: 0.5)
  --json                     print the totals as JSON

Without --model, the lab of the data folder is used, with a model per kind.

  --url <address>            address of the service (default: LANDBRIDGE_PUBLIC_URL, or the service of the data folder)
  --data-dir <path>          data folder (default: LANDBRIDGE_DATA_DIR, or ./data); keeps the keys of the devices
  --model <id>               a model of any partner
  --hardware-key-file <path> its hardware key (default: LANDBRIDGE_HARDWARE_KEY)

With --model, LANDBRIDGE_PARTNER_KEY (an API key of the partner) is needed for removals, LANDBRIDGE_ORGANIZATION_KEY (an API
key of the customer) for --claim.`

/** Null when only help was asked for. */
export function readOptions(args: string[]): SimulateOptions | null {
  const string = { type: 'string' } as const
  const boolean = { type: 'boolean' } as const
  const { values } = parseArgs({
    args,
    strict: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      ...{ devices: string, protocol: string, every: string, duration: string, kind: string, seed: string },
      ...{ claim: boolean, history: string, outages: string, updates: string, removals: string, json: boolean },
      ...{ url: string, 'data-dir': string, model: string, 'hardware-key-file': string },
    },
  })
  if (values.help) return null
  const number = (name: keyof typeof values, usual: number, { least = 0, most = 1e9, whole = false } = {}): number => {
    const text = values[name]
    const value = text === undefined ? usual : Number(text)
    if (text !== '' && value >= least && value <= most && (!whole || Number.isInteger(value))) return value
    throw new UsageError(`--${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not "${text}".`)
  }
  return {
    devices: number('devices', 100, { least: 1, most: 200_000, whole: true }),
    protocol: oneOf('protocol', protocols, values.protocol ?? 'mass'),
    kinds: values.kind === undefined ? allKinds : [oneOf('kind', allKinds, values.kind)],
    seed: values.seed ?? 'landbridge',
    plan: {
      everySeconds: number('every', 45),
      outages: number('outages', 5) / 100,
      updates: number('updates', 10) / 100,
      removals: number('removals', 0.5) / 100,
    },
    seconds: values.duration === undefined ? null : number('duration', 0),
    // The service takes messages of the last seven days.
    historyHours: number('history', 0, { most: 167 }),
    claim: values.claim === true,
    json: values.json === true,
    url: values.url,
    dataDir: values['data-dir'],
    model: values.model,
    hardwareKeyFile: values['hardware-key-file'],
  }
}

function oneOf<Name extends string>(option: string, names: readonly Name[], value: string): Name {
  const found = names.find((name) => name === value)
  if (found) return found
  throw new UsageError(`--${option} must be ${names.join(', ')}, not "${value}".`)
}
