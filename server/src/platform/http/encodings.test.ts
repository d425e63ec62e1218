import assert from 'node:assert/strict'
import { it } from 'node:test'
import { acceptedEncodings } from './encodings.ts'

for (const [header, expected] of [
  [undefined, ['']],
  ['gzip', ['gzip']],
  ['GZIP, br;q=0.5 , deflate ; q=0', ['gzip', 'br']],
  ['br;q=0.000, gzip;q=0.001, zstd;q=0.', ['gzip']],
  ['br;q=1.0, gzip;xq=0, zstd;q=01', ['br', 'gzip', 'zstd']],
  [
    ['br', 'gzip'],
    ['br', 'gzip'],
  ],
] as const) {
  it(`RFC 9110, 12.5.3: ${header} accepts ${expected.join(', ') || 'nothing'}`, () => {
    assert.deepEqual([...acceptedEncodings(header as string)], expected)
  })
}
