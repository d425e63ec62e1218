/** RFC 4180. Spreadsheets run what begins like a formula; text from outside is shown, not run. */
export function csvText(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Of fields that are written already. */
export function csvLine(fields: string[]): string {
  return `${fields.join(',')}\r\n`
}
