/** One locale for every number and date of a page: the language of its words, not that of the browser. */
export const locale = 'en-GB'

const formats = new Map<number | null, Intl.NumberFormat>()

function formatWith(decimals: number | null): Intl.NumberFormat {
  const known = formats.get(decimals)
  if (known) return known
  const digits =
    decimals === null
      ? { maximumFractionDigits: 20 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(locale, digits)
  formats.set(decimals, format)
  return format
}

/** `1,235,590.25`: every digit of the number, or as many decimals as asked for. */
export function formatNumber(value: number, decimals: number | null = null): string {
  const size = Math.abs(value)
  // Plain notation would be a row of zeros.
  if (size !== 0 && (size >= 1e21 || (decimals === null && size < 1e-6))) return String(value)
  const text = formatWith(decimals).format(value)
  return /^-[0.,]+$/.test(text) ? text.slice(1) : text
}

/** `97.5 %`, and never 100 % of something that is not whole. */
export function formatShare(share: number): string {
  const percent = share === 1 || share === 0 ? share * 100 : Math.min(99.99, Math.max(0.01, share * 100))
  return `${formatNumber(Math.floor(percent * 100) / 100)} %`
}

const units: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** `3 d 4 h`, `12 min`, `8 s`: the two largest units. */
export function formatDuration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ') || '0 s'
}
