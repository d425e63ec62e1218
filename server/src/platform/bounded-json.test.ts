import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson } from './bounded-json.ts'
import { jsonLimits } from './own-limits.ts'

/** Long enough that its shape is looked at. */
const padding = `"${'x'.repeat(70_000)}"`

const { depth, members, containers, values } = jsonLimits
const nested = (levels: number) => `[${padding},${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`
const listOf = (items: number) => `[${padding}${',0'.repeat(items - 1)}]`
const objectOf = (count: number) =>
  `{"p":${padding}${Array.from({ length: count - 1 }, (_, index) => `,"${index}":0`).join('')}}`
const many = (count: number) =>
  `[${padding},${Array.from(
    { length: 20 },
    () =>
      `[${Array((count - 21) / 20)
        .fill('{}')
        .join()}]`,
  ).join()}]`

/** Lists of a thousand, with so many commas in all. */
const commas = (count: number) =>
  `[${padding}${`,[0${',0'.repeat(999)}]`.repeat(count / 1_000)}${',0'.repeat(count % 1_000)}]`

describe('decision 7.8: the shape of a JSON text is checked before it is parsed', () => {
  const cases: [title: string, text: string, code: string | undefined][] = [
    [`${depth} levels`, nested(depth), undefined],
    ['one level more', nested(depth + 1), 'invalid'],
    [`a list of ${members}`, listOf(members), undefined],
    ['one item more', listOf(members + 1), 'invalid'],
    [`an object of ${members}`, objectOf(members), undefined],
    ['one member more', objectOf(members + 1), 'invalid'],
    ['as many containers as may be', many(containers - 19), undefined],
    ['too many containers', many(containers + 21), 'invalid'],
    ['as many values as may be', commas(values), undefined],
    ['too many values', commas(values + 1), 'invalid'],
    ['brackets and commas in text', JSON.stringify(`${'[{,"\\'.repeat(40_000)}`), undefined],
    ['an escaped quote at the end of a text', `["${'\\\\'.repeat(40_000)}\\"",[[[]]]]`, undefined],
    ['a text that never ends', `["${'[,'.repeat(40_000)}`, 'malformed_json'],
    ['closing brackets only', ']'.repeat(70_000), 'malformed_json'],
    ['nesting in a text of 8 KiB', '['.repeat(8_192), 'invalid'],
  ]
  it('the bounds are those of the decision', () => {
    assert.deepEqual(jsonLimits, {
      depth: 16,
      members: 2_000,
      containers: 20_000,
      values: 1_000_000,
      escapedNames: 10_000,
    })
  })

  for (const [title, text, code] of cases) {
    it(`${title} → ${code ?? 'parsed'}`, () => {
      if (code === undefined) assert.deepEqual(parseJson(text), JSON.parse(text))
      else assert.throws(() => parseJson(text), { code })
    })
  }
})
