import type { Context } from '../context.ts'
import type { DeviceFilter } from '../store/device-filters.ts'
import { findOwnerShare, findRareParts } from '../store/device-search-sql.ts'
import type { Owner } from '../store/devices-sql.ts'

/**
 * A search finds a text anywhere in the name, the MAC or the serial number; one or two characters are found at the
 * beginning of a word only, since they would match nearly everything. Trigrams know only letters and digits.
 */
export function searchFilter(search: string | undefined): Pick<DeviceFilter, 'texts' | 'selective'> {
  const text = search?.replace(/\p{Cc}/gu, ' ').trim()
  if (!text) return {}
  const short = isShort(text)
  const all = [text, ...macDigits(text)]
  const selective = short ? /^[\p{L}\p{N}]+$/u.test(text) : all.every((one) => /[\p{L}\p{N}]{3}/u.test(one))
  return { texts: short ? all.map((one) => ` ${one}`) : all, selective }
}

function isShort(text: string): boolean {
  return [...text].length < 3
}

/** With any separator or none: `00-1a-2b` and `00:1a:2b` are `001a2b`, as a device's text has it. */
function macDigits(text: string): string[] {
  const digits = text.replace(/[:.\-\s]/g, '')
  return digits !== text && /^[0-9a-f]{2,12}$/i.test(digits) ? [digits] : []
}

/** With a larger share of all devices, the index entry of the owner is longer than those of a text. */
const largeShare = 0.05

/**
 * Prepares a search in the index of texts. All trigrams of “valve 7777” would be looked up, and “val” alone has an entry of
 * half a million devices: only the rarest parts are, and the texts of the few devices found are compared.
 */
export async function narrowed({ sql }: Context, owner: Owner, filter: DeviceFilter): Promise<DeviceFilter> {
  const { texts, selective } = filter
  if (!texts || !selective) return filter
  const parts = await Promise.all(
    texts.map(async (text) => (text.startsWith(' ') ? [text] : await findRareParts(sql, owner, text))),
  )
  return { ...filter, parts, by_owner: (await findOwnerShare(sql, owner)) < largeShare }
}
