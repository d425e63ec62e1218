import { problemWith, type Settable, type Value } from './setting-values.ts'

/** In the order of their weight: a device is in a list with the last of those that its settings have. */
export const settingStates = ['in_sync', 'pending', 'rejected', 'unsupported'] as const
export type SettingState = (typeof settingStates)[number]

/** One setting that a device should have. */
export interface Wanted {
  value: Value
  /** The version of the document that first had this value. */
  version: number
  /** What the device said about that version or a later one; null: nothing yet. */
  said: 'applied' | 'rejected' | 'unsupported' | null
  message: string | null
}

export type Desired = ReadonlyMap<string, Wanted>

export interface JudgedSetting {
  state: SettingState
  message: string | null
}

/** Of each setting; `reported` are the values in the state of the device, as far as it reports them. */
export function judgeSettings(
  desired: Desired,
  settable: Settable,
  reported: ReadonlyMap<string, unknown>,
): Map<string, JudgedSetting> {
  return new Map(
    [...desired].map(([key, wanted]) => [
      key,
      judgeSetting(wanted, problemWith(settable.get(key), wanted.value), reported.get(key)),
    ]),
  )
}

function judgeSetting({ value, said, message }: Wanted, problem: string | null, reported: unknown): JudgedSetting {
  if (problem) return { state: 'unsupported', message: `The model has changed: this ${problem}.` }
  if (said === null) return { state: 'pending', message: null }
  if (said !== 'applied') return { state: said, message }
  // What a device applied and then reports differently is not as it should be.
  if (reported !== undefined && reported !== value) {
    return { state: 'pending', message: 'The device has applied it, but reports another value.' }
  }
  return { state: 'in_sync', message: null }
}

/** Null when there is none. */
export function worstOf(judged: Iterable<JudgedSetting>): SettingState | null {
  const worst = Math.max(-1, ...[...judged].map(({ state }) => settingStates.indexOf(state)))
  return settingStates[worst] ?? null
}
