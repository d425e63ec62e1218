/** One locale for every number and date of a page: the language of its words, not that of the browser. */
export const locale = 'en-GB'
