import { printable } from '../platform/texts.ts'

interface Page {
  items: Record<string, unknown>[]
  next: string | null
}

/** Prints a table; columns that no item has are left out. `empty` says what there is none of. */
export function printPage({ items, next }: Page, wanted: readonly string[], empty: string): void {
  if (items.length === 0) {
    // On stderr, so that a pipe gets only rows.
    console.error(empty)
    return
  }
  const columns = wanted.filter((column) => items.some((item) => item[column] !== undefined))
  const rows = [columns, ...items.map((item) => columns.map((column) => cell(item[column])))]
  const widths = columns.map((_, index) => Math.max(0, ...rows.map((row) => row[index]!.length)))
  for (const row of rows)
    console.log(
      row
        .map((text, index) => text.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
  if (next) console.error(`More results: --after ${next}`)
}

export function printRecord(record: Record<string, unknown>, done = 'Done.'): void {
  const rows = Object.entries(record)
  if (rows.length === 0) console.log(done)
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${cell(value)}`)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.map(cell).join(', ') || '–'
  if (typeof value !== 'object') return printable(String(value))
  const parts = Object.entries(value).map(([name, inner]) => `${name}=${cell(inner)}`)
  return parts.join(' ') || '–'
}
