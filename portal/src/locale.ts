/** One locale for every number and date of a page: the language of its words, not that of the browser. */
export const locale = 'en-GB'

let collator: Intl.Collator | undefined

/** “Floor 2” before “Floor 10”. */
export function compareNames(one: { name: string }, other: { name: string }): number {
  // Not while the first file loads, which this is a part of.
  collator ??= new Intl.Collator(locale, { numeric: true })
  return collator.compare(one.name, other.name)
}
