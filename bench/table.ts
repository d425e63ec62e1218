// What every benchmark returns, and how it is printed. Each benchmark exports `measure`, and ends with
// `if (import.meta.main) await runAlone(measure)`.
import { cleanUpAll, cleanUpWhenInterrupted, unlessInterrupted } from './clean-up.ts'

export interface Row {
  what: string
  ours: string
  /** The other side, or the limit. */
  peer: string
  /** Ours divided by the peer's: the median over the rounds. */
  ratio: number | null
  /** Null: measured for orientation only. */
  bar: number | null
  /** The peer fell below half of its own earlier rate: the ratio is not shown, and its bar is not held. */
  disturbed?: boolean
  /** The lowest and the highest ratio of a round. */
  spread: string
  /** `higher` (the default): the ratio must be at least the bar; `lower`: at most. */
  better?: 'higher' | 'lower'
  /** Ours and the peer's, in milliseconds; beside every rate. */
  p99?: string
}

export type Measure = (quick: boolean) => Promise<Row[]>

/** Null when the row has no bar. A benchmark that could not measure has missed its bar. */
export function holds({ ratio, bar, disturbed, better = 'higher' }: Row): boolean | null {
  if (bar === null) return null
  if (disturbed || ratio === null || Number.isNaN(ratio)) return false
  return better === 'higher' ? ratio >= bar : ratio <= bar
}

export function everyBarHolds(rows: Row[]): boolean {
  return rows.every((row) => holds(row) !== false)
}

export const columns = ['what', 'ours', 'peer or limit', 'ratio', 'bar', 'spread', 'p99: ours, peer']

export function cells(row: Row): string[] {
  const { what, ours, peer, bar, spread, p99, better = 'higher' } = row
  const barText = bar === null ? '–' : `${better === 'higher' ? '≥' : '≤'} ${bar}×`
  return [what, ours, peer, ratioText(row), barText, spread, p99 ?? '–']
}

function ratioText({ ratio, disturbed }: Row): string {
  if (disturbed) return 'disturbed'
  return ratio === null ? '–' : `${ratio.toFixed(2)}×`
}

export function toText(rows: Row[]): string {
  const lines = [['', ...columns], ...rows.map((row) => [mark(row), ...cells(row)])]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n')
}

export function toMarkdown(rows: Row[]): string {
  const line = (texts: string[]) => `| ${texts.join(' | ')} |`
  const body = rows.map((row) => line([...cells(row), mark(row)]))
  return [line([...columns, '']), line([...columns, ''].map(() => '---')), ...body].join('\n')
}

function mark(row: Row): string {
  return { true: '✔', false: '✖', null: ' ' }[String(holds(row)) as 'true' | 'false' | 'null']
}

/** For `npm run bench:x [-- --quick]`: prints the table of one benchmark and exits 1 when a bar is missed. */
export async function runAlone(measure: Measure): Promise<never> {
  cleanUpWhenInterrupted()
  try {
    const rows = await measure(process.argv.includes('--quick'))
    console.log(`\n${toText(rows)}`)
    process.exitCode = everyBarHolds(rows) ? 0 : 1
  } catch (error) {
    await unlessInterrupted()
    console.error(error)
    process.exitCode = 1
  }
  await cleanUpAll()
  process.exit()
}
