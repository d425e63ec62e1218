// What docs/integrate.md, decisions 7.94 to 7.96 and the API document say about the desired settings of a device.
import { type Verdict, verdict } from './verdict.ts'

export type Value = number | string | boolean

/** The settings that the model may declare, and what each may be set to. */
export const known = {
  target: (value: unknown) => typeof value === 'number' && value >= 5 && value <= 30,
  mode: (value: unknown) => value === 'heat' || value === 'cool',
  lock: (value: unknown) => typeof value === 'boolean',
} as const
export type Key = keyof typeof known
export const keys = Object.keys(known) as Key[]

export interface Wanted {
  value: Value
  /** The version in which it got this value. */
  since: number
  said: 'applied' | 'rejected' | 'unsupported' | null
}

export interface Settings {
  version: number
  reported: number | null
  wanted: Map<string, Wanted>
  /** What the device sent last. */
  sent: Map<string, Value>
  /** What the model declares as settable now. */
  declared: Set<string>
  removed: boolean
  /** Versions that were made. */
  changes: number
}

/** A member with a role of nothing but looking, credentials without commands, and others. */
export const callers = ['session', 'viewer', 'bearer', 'api_key', 'removed', 'stranger'] as const
export type Caller = (typeof callers)[number]

export const bases = ['none', 'current', 'older', 'newer'] as const
export type Base = (typeof bases)[number]

export function numberOf({ version }: Settings, base: Base): number | undefined {
  if (base === 'none') return undefined
  if (base === 'current') return version
  return base === 'older' ? Math.max(0, version - 1) : version + 1
}

const isAllowed = ({ declared }: Settings, key: string, value: unknown) =>
  declared.has(key) && key in known && known[key as Key](value)

export function stateOf(settings: Settings, key: string): string {
  const { value, said } = settings.wanted.get(key)!
  if (!isAllowed(settings, key, value) || said === 'unsupported') return 'unsupported'
  if (said === null) return 'pending'
  if (said === 'rejected') return 'rejected'
  const sent = settings.sent.get(key)
  return sent === undefined || sent === value ? 'in_sync' : 'pending'
}

/** Of the device in lists; null while nothing is wanted. */
export function worstOf(settings: Settings): string | null {
  const states = [...settings.wanted.keys()].map((key) => stateOf(settings, key))
  return ['unsupported', 'rejected', 'pending', 'in_sync'].find((state) => states.includes(state)) ?? null
}

const cannotCommand = (who: Caller) => who === 'viewer' || who === 'removed'

export function reading({ removed }: Settings, who: Caller): Verdict {
  return verdict(200, {
    '403 administrators_only': who === 'removed',
    '404 not_found': who !== 'removed' && (removed || who === 'stranger'),
  })
}

export type Values = Record<string, Value | null>

export function changing(settings: Settings, who: Caller, values: Values, base: Base): Verdict {
  const wrong = Object.entries(values).some(([key, value]) => value !== null && !isAllowed(settings, key, value))
  const known = who === 'session' && !settings.removed
  return verdict(200, {
    '403 administrators_only': cannotCommand(who),
    '403 not_approved': who === 'bearer',
    '403 not_permitted': who === 'api_key',
    '404 not_found': who === 'stranger' || (who === 'session' && settings.removed),
    '409 settings_changed': known && base !== 'none' && numberOf(settings, base) !== settings.version,
    '422 invalid': known && wrong,
  })
}

/** What the customer then wants. What was refused, or is not so, is wanted anew. */
export function change(settings: Settings, values: Values): void {
  const next = new Map(settings.wanted)
  const since = settings.version + 1
  let changes = false
  for (const [key, value] of Object.entries(values)) {
    const now = settings.wanted.get(key)
    if (value === null) changes = next.delete(key) || changes
    else if (now?.value !== value || !(now.said === null || stateOf(settings, key) === 'in_sync')) {
      next.set(key, { value, since, said: null })
      changes = true
    }
  }
  if (!changes) return
  Object.assign(settings, { wanted: next, version: since, changes: settings.changes + 1 })
}

export function changingAtDevice(settings: Settings, values: Record<string, Value>, base: Base): Verdict {
  const wrong = Object.entries(values).some(([key, value]) => !isAllowed(settings, key, value))
  return verdict(200, {
    '410 device_removed': settings.removed,
    '409 settings_changed': !settings.removed && numberOf(settings, base) !== settings.version,
    '422 invalid': !settings.removed && wrong,
  })
}

export function changeAtDevice(settings: Settings, values: Record<string, Value>): void {
  const since = settings.version + 1
  const changed = Object.entries(values).filter(([key, value]) => {
    const now = settings.wanted.get(key)
    return now?.value !== value || now.said !== 'applied'
  })
  if (changed.length === 0) return
  for (const [key, value] of changed) settings.wanted.set(key, { value, since, said: 'applied' })
  settings.version = since
  settings.changes += 1
  if ([...settings.wanted.values()].every(({ said }) => said !== null)) settings.reported = since
}

export interface Report {
  about: Exclude<Base, 'none'>
  result: 'applied' | 'rejected'
  details: { key: string; unsupported: boolean }[]
}

export function reporting(settings: Settings, { about, result, details }: Report): Verdict {
  const version = numberOf(settings, about)!
  const isWrong = version > settings.version || (result === 'applied' && details.length > 0)
  return verdict(200, {
    '410 device_removed': settings.removed,
    '422 invalid': !settings.removed && isWrong,
  })
}

export function report(settings: Settings, { about, result, details }: Report): void {
  const version = numberOf(settings, about)!
  // Of a version before one that the device has reported about, there is nothing new to learn.
  if (version < (settings.reported ?? 0)) return
  // Nothing was ever wanted.
  if (settings.version === 0) return
  settings.reported = version
  for (const [key, wanted] of settings.wanted) {
    if (wanted.since > version) continue
    const refused = details.findLast((detail) => detail.key === key)
    const refusesAll = result === 'rejected' && details.length === 0
    wanted.said = refused?.unsupported ? 'unsupported' : refused || refusesAll ? 'rejected' : 'applied'
  }
}
