// As `server/src/platform/csv.ts` writes, which says why; `test/portal/csv.test.ts` compares the two.
const cellStart = '(^|[,;|\\t\\r\\n])([\\s"\']{0,8})'
const formula = new RegExp(`${cellStart}(?=[=+\\-@＝＋－＠])`, 'g')
const guard = new RegExp(`${cellStart}'(?=[=+\\-@＝＋－＠])`, 'g')

export function csvText(text: string): string {
  const guarded = text.replaceAll(formula, "$1$2'")
  const safe = /^[\t\r]/.test(text) ? `'${guarded}` : guarded
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A cell of our own files, as it was before it was made harmless. */
export function withoutGuard(cell: string): string {
  return cell.replaceAll(guard, '$1$2')
}

export function toCsv(header: string[], rows: string[][]): string {
  return [header, ...rows].map((cells) => `${cells.map(csvText).join(',')}\r\n`).join('')
}

export function csvName(parts: string[]): string {
  return `${parts.map((part) => part.replaceAll(/[^\p{L}\p{M}\p{N}-]+/gu, '-')).join('_')}.csv`
}
