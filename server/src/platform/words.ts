/** More words than that narrow no search. */
const maxWords = 10

/** What a search looks for: every word, in any order. */
export function wordsOf(search: string): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, maxWords)
}
