/** Where a cell may begin in some spreadsheet, if not in RFC 4180: a German Excel divides our lines at semicolons. */
const cellStart = '(^|[,;|\\t\\r\\n])([\\s"\']{0,8})'
const formula = new RegExp(`${cellStart}(?=[=+\\-@＝＋－＠])`, 'g')

/** Most cells: nothing of it divides, quotes or begins a formula anywhere. */
const plain = /^[\p{L}\d](?:[\p{L}\d .:_/-]*[\p{L}\d])?$/u

/** Tells spreadsheets that the file is UTF-8. */
export const byteOrderMark = '\ufeff'

/**
 * One cell by RFC 4180. A quote keeps spreadsheets from running text that begins like a formula, at the start and behind
 * everything that some spreadsheet takes for the end of a cell: quotes around the cell do not hold where it divides by
 * another character. Numbers do not come here: only they stay numbers.
 */
export function csvText(value: string): string {
  if (value === '' || plain.test(value)) return value
  const guarded = value.replaceAll(formula, "$1$2'")
  const safe = /^[\t\r]/.test(value) ? `'${guarded}` : guarded
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The fields must already be escaped. */
export function csvLine(fields: string[]): string {
  return `${fields.join(',')}\r\n`
}

/** The first line of every file. */
export function csvHeader(titles: string[]): string {
  return byteOrderMark + csvLine(titles.map(csvText))
}
