interface Page {
  items: Record<string, unknown>[]
  next: string | null
}

/** A table for people: as wide as its widest cell, the header first. Columns that no item has are left out. */
export function printPage({ items, next }: Page, wanted: readonly string[]): void {
  if (items.length === 0) {
    console.log('None.')
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
  // On the other stream, so that a pipe gets rows alone.
  if (next) console.error(`More: --after ${next}`)
}

export function printThing(thing: Record<string, unknown>, done = 'Done.'): void {
  const rows = Object.entries(thing)
  if (rows.length === 0) console.log(done)
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${cell(value)}`)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.map(cell).join(', ') || '–'
  if (typeof value !== 'object') return String(value).replace(/\p{Cc}/gu, '?')
  const parts = Object.entries(value).map(([name, inner]) => `${name}=${cell(inner)}`)
  return parts.join(' ') || '–'
}
