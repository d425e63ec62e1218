/** A number for a text, to seed everything else (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return hash >>> 0
}

/** In [0, 1): looks random, and is always the same for the same numbers, so that nothing has to be remembered. */
export function chance(...numbers: number[]): number {
  let hash = 0x9e3779b9
  for (const number of numbers) {
    hash = Math.imul(hash ^ (number >>> 0), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13) ^ Math.floor(number / 2 ** 32), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return (hash >>> 0) / 2 ** 32
}

export function pick<Item>(items: readonly Item[], fraction: number): Item {
  return items[Math.floor(fraction * items.length)]!
}

/** Between -1 and 1, and without jumps: a new direction every `period`, from a curve that only `seed` decides. */
export function drift(seed: number, at: number, period: number): number {
  const step = Math.floor(at / period)
  const part = at / period - step
  const eased = part * part * (3 - 2 * part)
  const [from, to] = [chance(seed, step), chance(seed, step + 1)]
  return 2 * (from + (to - from) * eased) - 1
}
