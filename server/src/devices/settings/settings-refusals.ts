import type { Detail } from '../../platform/refusal.ts'
import { invalid, Refusal } from '../../platform/refusal.ts'
import { type Document, valuesOf } from './setting-documents.ts'
import { isTooLarge, problemWith, type Settable, type Value } from './setting-values.ts'

/** What a device is sent: no customer, person or space. */
export interface Config {
  version: number
  config: Record<string, Value>
  last_updated: Date | null
}

/** A change of an older version than the newest: whoever sent it decides again, knowing what there is now. */
export class SettingsChanged extends Refusal {
  readonly current: Config

  constructor(current: Config) {
    const sentence = `The settings were changed meanwhile: they are at version ${current.version}. Look at them and decide again.`
    super(409, 'settings_changed', sentence)
    this.current = current
  }
}

/** What is wrong with values for the settings of a model. */
export function problemsWith(settable: Settable, values: ReadonlyMap<string, Value | null>): Detail[] {
  return [...values].flatMap(([key, value]) => {
    const problem = value === null ? null : problemWith(settable.get(key), value)
    return problem === null ? [] : [{ field: `values.${key}`, message: problem }]
  })
}

export function requireFit({ desired }: Document): void {
  if (!isTooLarge(valuesOf(desired))) return
  throw invalid({ field: 'values', message: 'must leave a device with at most 200 settings of 16 KiB in all' })
}
