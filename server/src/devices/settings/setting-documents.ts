import type { Desired, JudgedSetting, Wanted } from './setting-states.ts'
import type { Value } from './setting-values.ts'

/** What a customer wants of its device, as a whole; version 0 while nobody ever wanted anything. */
export interface Document {
  version: number
  desired: Desired
  /** The newest version that the device has reported about. */
  reported_version: number | null
}

export const emptyDocument: Document = { version: 0, desired: new Map(), reported_version: null }

/** Null no longer wants the setting. */
export type Change = ReadonlyMap<string, Value | null>

/**
 * The next version with a customer's change; null when all is so already. A value that the device refused, or that it has
 * applied and reports differently, is wanted anew: otherwise nobody could ask again.
 */
export function afterChange(
  { version, desired, reported_version }: Document,
  change: Change,
  judged: ReadonlyMap<string, JudgedSetting>,
): Document | null {
  const next = new Map(desired)
  for (const [key, value] of change) {
    const now = desired.get(key)
    if (value === null) next.delete(key)
    else if (now?.value !== value || (now.said !== null && judged.get(key)?.state !== 'in_sync')) {
      next.set(key, { value, version: version + 1, said: null, message: null })
    }
  }
  const isSame = next.size === desired.size && [...next].every(([key, wanted]) => desired.get(key) === wanted)
  return isSame ? null : { version: version + 1, desired: next, reported_version }
}

/** The next version with a change that was made at the device, which therefore has it; null when all is so already. */
export function afterLocalChange(
  { version, desired, reported_version }: Document,
  values: ReadonlyMap<string, Value>,
): Document | null {
  const changes = [...values].filter(([key, value]) => {
    const now = desired.get(key)
    return now?.value !== value || now.said !== 'applied'
  })
  if (changes.length === 0) return null
  const next = new Map(desired)
  for (const [key, value] of changes) {
    next.set(key, { value, version: version + 1, said: 'applied', message: null })
  }
  const isKnown = [...next.values()].every(({ said }) => said !== null)
  return { version: version + 1, desired: next, reported_version: isKnown ? version + 1 : reported_version }
}

export interface Report {
  version: number
  result: 'applied' | 'rejected'
  /** What was refused; without any, a refusal is one of everything. */
  details?: { key: string; message?: string; unsupported?: boolean }[] | undefined
}

/** What the report says about this version and those before it; null when a newer one was reported already. */
export function afterReport(document: Document, report: Report): Document | null {
  if (report.version < (document.reported_version ?? 0)) return null
  const details = new Map((report.details ?? []).map((detail) => [detail.key, detail]))
  const refusesAll = report.result === 'rejected' && details.size === 0
  const desired = [...document.desired].map(([key, wanted]): [string, Wanted] => {
    // What is newer than the report is not what the device speaks of.
    if (wanted.version > report.version) return [key, wanted]
    const detail = details.get(key)
    if (!detail && !refusesAll) return [key, { ...wanted, said: 'applied', message: null }]
    return [
      key,
      { ...wanted, said: detail?.unsupported ? 'unsupported' : 'rejected', message: detail?.message ?? null },
    ]
  })
  return { ...document, desired: new Map(desired), reported_version: report.version }
}

/** Whether the device was replaced by other hardware, which has said nothing yet. */
export function afterReplacement({ version, desired }: Document): Document {
  const unsaid = [...desired].map(([key, wanted]): [string, Wanted] => [key, { ...wanted, said: null, message: null }])
  return { version, desired: new Map(unsaid), reported_version: null }
}

export function valuesOf(desired: Desired): Map<string, Value> {
  return new Map([...desired].map(([key, { value }]) => [key, value]))
}
