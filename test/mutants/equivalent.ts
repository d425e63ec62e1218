// Changes that no test can notice, each with the reason.

export interface Equivalent {
  file: string
  /** The line as it stands in the file, without the space before it. */
  line: string
  change: string
  why: string
}

const flagLines: Record<string, string> = {
  '0x20 → 33': 'const retain = (byte & 0x20) !== 0',
  '0x04 → 5': 'const hasWill = (byte & 0x04) !== 0',
  '0x80 → 129': 'const username = (byte & 0x80) !== 0',
  '0x40 → 65': 'const password = (byte & 0x40) !== 0',
}

export const equivalents: Equivalent[] = [
  {
    file: 'server/src/devices/bucket.ts',
    line: 'return Number.parseInt(deviceId.slice(-3), 16) & (bucketCount - 1)',
    change: '3 → 4',
    why: 'The mask leaves ten bits, which are in the last three digits.',
  },
  {
    file: 'server/src/devices/mqtt/packets/fields.ts',
    line: 'for (let shift = 0; shift <= 21; shift += 7) {',
    change: '21 → 22',
    why: 'The shift is a multiple of seven.',
  },
  {
    file: 'server/src/devices/mqtt/packets/fields.ts',
    line: 'if (byte === 0 && shift > 0) break',
    change: '0 → 1',
    why: 'The shift is a multiple of seven.',
  },
  ...['0x20 → 33', '0x04 → 5', '0x80 → 129', '0x40 → 65'].map((change) => ({
    file: 'server/src/devices/mqtt/packets/connect-packet.ts',
    line: flagLines[change]!,
    change,
    why: 'The lowest bit is reserved, and was found to be 0 before.',
  })),
]
