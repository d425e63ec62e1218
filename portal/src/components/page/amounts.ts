import { formatNumber } from './numbers.ts'

/** `97.5%`, and never 100% of something that is not whole. */
export function formatShare(share: number): string {
  const percent = share === 1 || share === 0 ? share * 100 : Math.min(99.99, Math.max(0.01, share * 100))
  return `${formatNumber(Math.floor(percent * 100) / 100)}%`
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
