import type { DeviceFilter } from '../store/device-filters.ts'

/**
 * A search finds a text anywhere in the name, the MAC or the serial number; one or two characters are found at the
 * beginning of a word only, since they would match nearly everything. Trigrams know only letters and digits.
 */
export function searchFilter(search: string | undefined): Pick<DeviceFilter, 'patterns' | 'selective'> {
  const text = search?.replace(/\p{Cc}/gu, ' ').trim()
  if (!text) return {}
  const short = [...text].length < 3
  const escaped = [text, ...macDigits(text)].map((one) => one.replace(/[\\%_]/g, '\\$&'))
  const patterns = escaped.map((one) => (short ? `% ${one}%` : `%${one}%`))
  const selective = short ? /^[\p{L}\p{N}]+$/u.test(text) : escaped.every((one) => /[\p{L}\p{N}]{3}/u.test(one))
  return { patterns, selective }
}

/** With any separator or none: `00-1a-2b` and `00:1a:2b` are `001a2b`, as a device's text has it. */
function macDigits(text: string): string[] {
  const digits = text.replace(/[:.\-\s]/g, '')
  return digits !== text && /^[0-9a-f]{2,12}$/i.test(digits) ? [digits] : []
}
