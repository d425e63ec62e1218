/** RFC 4180. A leading quote keeps spreadsheets from running text that begins like a formula. */
export function csvText(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The fields must already be escaped. */
export function csvLine(fields: string[]): string {
  return `${fields.join(',')}\r\n`
}
