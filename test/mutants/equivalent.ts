// Changes that no test can notice, each with the reason.

export interface Equivalent {
  file: string
  /** The line as it stands in the file, without the space before it. */
  line: string
  change: string
  why: string
}

function equivalent(file: string, line: string, changes: string[], why: string): Equivalent[] {
  return changes.map((change) => ({ file, line, change, why }))
}

const connect = 'server/src/devices/mqtt/packets/connect-packet.ts'
const fields = 'server/src/devices/mqtt/packets/fields.ts'
const coalesce = 'server/src/platform/database/coalesce.ts'
const keys = 'server/src/platform/escaped-keys.ts'
const reserved = 'The lowest bit is reserved, and was found to be 0 before.'
const sevens = 'The shift is a multiple of seven.'
const uncopied = 'A slice has the same items; without it nothing is copied.'
const sooner = 'The result is the same; this is only the faster way to it.'

export const equivalents: Equivalent[] = [
  ...equivalent(
    'server/src/devices/bucket.ts',
    'return Number.parseInt(deviceId.slice(-3), 16) & (bucketCount - 1)',
    ['3 → 4'],
    'The mask leaves ten bits, which are in the last three digits.',
  ),
  ...equivalent(fields, 'for (let shift = 0; shift <= 21; shift += 7) {', ['21 → 22'], sevens),
  ...equivalent(fields, 'if (byte === 0 && shift > 0) break', ['0 → 1'], sevens),
  ...equivalent(connect, 'const retain = (byte & 0x20) !== 0', ['0x20 → 33'], reserved),
  ...equivalent(connect, 'const hasWill = (byte & 0x04) !== 0', ['0x04 → 5'], reserved),
  ...equivalent(connect, 'const username = (byte & 0x80) !== 0', ['0x80 → 129'], reserved),
  ...equivalent(connect, 'const password = (byte & 0x40) !== 0', ['0x40 → 65'], reserved),
  ...equivalent(
    coalesce,
    'const batch = waiters.length <= max ? waiters : waiters.slice(0, max)',
    ['waiters.length <= max → false', '<= → <'],
    uncopied,
  ),
  ...equivalent(
    coalesce,
    'waiters = waiters.length <= max ? [] : waiters.slice(max)',
    ['waiters.length <= max → false', '<= → <'],
    uncopied,
  ),
  ...equivalent(
    coalesce,
    'if (waiters.length > 0) gather()',
    ['waiters.length > 0 → true', '> → >='],
    'A start without waiters does nothing.',
  ),
  ...equivalent(
    coalesce,
    'if (running < atOnce) gather()',
    ['running < atOnce → true', '< → <='],
    'The start looks again whether one more may run.',
  ),
  ...equivalent(
    'server/src/platform/csv.ts',
    "if (value === '' || plain.test(value)) return value",
    ["value === '' || plain.test(value) → false", "'' → 'mutant'", '|| → &&'],
    sooner,
  ),
  ...equivalent(
    keys,
    "if (!text.includes('\\\\')) return parse(text)",
    ["!text.includes('\\\\') → false", "'\\\\' → ''"],
    sooner,
  ),
  ...equivalent(
    keys,
    "if (nextEscape < start) nextEscape = text.indexOf('\\\\', start)",
    ['nextEscape < start → true', '< → <='],
    sooner,
  ),
  ...equivalent(keys, 'if (nextEscape === -1) break', ['nextEscape === -1 → false', 'break → {}'], sooner),
  ...equivalent(
    keys,
    'const parsed = parse(end === 0 ? text : rewritten + text.slice(end))',
    ['end === 0 → false', '0 → 1'],
    sooner,
  ),
  ...equivalent(
    keys,
    'return replaced.size === 0 ? parsed : putBack(parsed, replaced)',
    ['replaced.size === 0 → false'],
    sooner,
  ),
  ...equivalent(
    keys,
    "if (typeof value[index] === 'object') value[index] = putBack(value[index], names)",
    ["typeof value[index] === 'object' → true"],
    sooner,
  ),
  ...equivalent(
    keys,
    "if (typeof members[key] === 'object') members[key] = putBack(members[key], names)",
    ["typeof members[key] === 'object' → true"],
    sooner,
  ),
  ...equivalent(keys, 'let renames = false', ['false → true'], sooner),
  ...equivalent(keys, 'return renames ? renamed(members, names) : members', ['renames → true'], sooner),
]
