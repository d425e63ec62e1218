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

  /** So many lists and objects, none of them with more than 1,001 members. */
  const containersOf = (total: number) => {
    const groups = Array.from({ length: Math.floor((total - 1) / 1_000) }, () => `[${Array(999).fill('{}').join()}]`)
    return `[${[padding, ...groups, ...Array((total - 1) % 1_000).fill('{}')].join()}]`
  }

  it('is not checked where parsing is always cheap: short texts, and longer ones with few lists and objects', () => {
    /** So deep that a check would refuse it, and so long. */
    const lists = (count: number, length: number) => {
      const text = `${'['.repeat(count)}"${'"'}${']'.repeat(count)}`
      return text.replace('""', `"${'x'.repeat(length - text.length)}"`)
    }
    const objects = (count: number) => {
      const deep = `${'{"a":'.repeat(30)}0${'}'.repeat(30)}`
      return `{"p":[${deep},${Array(count - 31)
        .fill('{}')
        .join()}]}`
    }
    parseJson(lists(65, 4_096))
    parseJson(lists(64, 4_097))
    assert.throws(() => parseJson(lists(65, 4_097)), { code: 'invalid' })
    parseJson(lists(64, 65_536))
    assert.throws(() => parseJson(lists(64, 65_537)), { code: 'invalid' })
    // Wider than a check allows as well, so that it would be refused.
    parseJson(objects(2_500))
    assert.throws(() => parseJson(objects(2_501)), { code: 'invalid' })
  })

  it('names the bound that a text is beyond, and accepts one that is just within', () => {
    const message = (bound: string) => `body must have objects and lists with ${bound}.`
    const { escapedNames } = jsonLimits
    const escaped = (count: number) =>
      `[${Array.from({ length: 10 }, (_, part) => `{${Array.from({ length: count / 10 }, (_, n) => `"\\u0061${part}-${n}":0`).join()}}`).join()}]`
    for (const [within, beyond, bound] of [
      [nested(16), nested(17), 'at most 16 levels of nesting'],
      [listOf(2_000), listOf(2_001), 'at most 2000 members or items each'],
      [containersOf(20_000), containersOf(20_001), 'at most 20000'],
      [commas(1_000_000), commas(1_000_001), 'at most 1000000 values in all'],
      [escaped(escapedNames), escaped(escapedNames + 10), 'at most 10000 names written with escapes'],
    ] as const) {
      parseJson(within)
      assert.throws(() => parseJson(beyond), { status: 422, code: 'invalid', message: message(bound) })
    }
    const malformed = { status: 400, code: 'malformed_json', message: 'The body is not well-formed JSON.' }
    assert.throws(() => parseJson('{'), malformed)
  })

  for (const [title, text, code] of cases) {
    it(`${title} → ${code ?? 'parsed'}`, () => {
      if (code === undefined) assert.deepEqual(parseJson(text), JSON.parse(text))
      else assert.throws(() => parseJson(text), { code })
    })
  }
})
