import type { Model, Space } from '../api/organization.ts'
import { toCsv } from '../components/table/csv.ts'
import { amount } from './amount.ts'
import { type CheckedLine, spacePaths } from './claim-check.ts'
import type { LineResults } from './claim-list.ts'

export interface Counts {
  claimed: number
  alreadyYours: number
  /** Including lines that could not be sent. */
  failed: number
  remaining: number
}

export function countResults(ready: readonly CheckedLine[], results: LineResults): Omit<Counts, 'failed'> {
  const kinds = Map.groupBy(ready, ({ line }) => results.get(line)?.kind)
  const count = (kind: Parameters<typeof kinds.get>[0]) => kinds.get(kind)?.length ?? 0
  return { claimed: count('claimed'), alreadyYours: count('already_yours'), remaining: count(undefined) }
}

export function summaryOf({ claimed, alreadyYours, failed, remaining }: Counts): string {
  const parts = [`${number(claimed)} claimed`]
  if (alreadyYours > 0) parts.push(`${number(alreadyYours)} already claimed`)
  parts.push(`${number(failed)} failed`)
  if (remaining > 0) parts.push(`${number(remaining)} remaining`)
  return parts.join(', ')
}

export function previewOf(lines: number, ready: number): string {
  const problems = lines - ready
  const rest = problems > 0 ? `, ${amount(problems, 'line')} to correct` : ''
  return `${amount(lines, 'line')}, ${number(ready)} ready to claim${rest}`
}

export function withoutFailures(results: LineResults): LineResults {
  return new Map([...results].filter(([, { kind }]) => kind !== 'failed'))
}

/** With what was chosen for lines that name no model or space, so that the file is complete by itself. */
export function failureCsv(
  failures: readonly CheckedLine[],
  results: LineResults,
  chosen: { models: Model[]; spaces: Space[]; modelId: string | null; spaceId: string | null },
  withReason: boolean,
): string {
  const model = chosen.modelId ?? ''
  const space = chosen.spaceId ? (spacePaths(chosen.spaces).get(chosen.spaceId) ?? '') : ''
  const rows = failures.map((line) => {
    const result = results.get(line.line)
    const reason = line.problem ?? (result?.kind === 'failed' ? result.reason : '')
    const cells = [line.mac, line.sn, line.model || model, line.space || space, line.name]
    return withReason ? [...cells, reason] : cells
  })
  const header = ['mac', 'serial number', 'model', 'space', 'name']
  return withReason ? toCsv([...header, 'reason'], rows) : toCsv(header, rows)
}

function number(count: number): string {
  return count.toLocaleString('en')
}
