import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JsonProblem, parseJsonWithLines } from '../../portal/src/partner/json-lines.ts'

describe('JSON with the lines of its values', () => {
  it('every value has its line', () => {
    const text = '{\n "data_points": [\n  {"key": "a", "min": -1.5e3},\n  {\n   "key": "b"\n  }\n ]\n}\n'
    const { value, lines } = parseJsonWithLines(text)
    assert.deepEqual(value, JSON.parse(text))
    assert.deepEqual(
      ['', 'data_points', 'data_points.0', 'data_points.0.min', 'data_points.1', 'data_points.1.key'].map((path) =>
        lines.get(path),
      ),
      [1, 2, 3, 3, 4, 5],
    )
  })

  it('refuses what is nested more than 50 deep, below the top', () => {
    const text = `${'['.repeat(52)}${']'.repeat(52)}`
    assert.throws(() => parseJsonWithLines(text), { line: 1, message: 'This is nested too deeply' })
  })

  it('names values by their path', () => {
    const { lines } = parseJsonWithLines('{"a":{"b":1},"c":[\n1,2]}')
    assert.deepEqual(
      [...lines],
      [
        ['', 1],
        ['a', 1],
        ['a.b', 1],
        ['c', 1],
        ['c.0', 2],
        ['c.1', 2],
      ],
    )
  })

  it('what JSON.parse reads is read, and what it refuses is refused with its line', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    for (const text of [
      deep(51),
      '\t[\r\n]',
      '{"a":{"b":1},"c":[1,2]}',
      '[]',
      ' {} ',
      '"\\u00e9"',
      '[1,[2,{"a":[]}]]',
      '-0.5e-3',
      'null',
    ]) {
      assert.deepEqual(parseJsonWithLines(text).value, JSON.parse(text))
    }
    const broken: [string, number, RegExp][] = [
      ['', 1, /ends too early/],
      ['{\n"a": 1,\n}', 3, /name in double quotes/],
      ['{\n"a": 1\n"b": 2}', 3, /comma or }/],
      ['[1\n,\n]', 3, /value is missing/],
      ['{"a" 1}', 1, /colon/],
      ['[01]', 1, /comma or ]/],
      ["{'a': 1}", 1, /double quotes/],
      ['{"a": "x\ny"}', 1, /value is missing/],
      ['[]\n\n[]', 3, /Nothing may follow/],
      ['['.repeat(100_000), 1, /too deeply/],
      ['{\n1: 2}', 2, /name in double quotes/],
      ['{\n\n', 3, /name in double quotes/],
      ['[\n1,\n', 3, /ends too early/],
      ['"\u0001"', 1, /control character/],
    ]
    for (const [text, line, message] of broken) {
      assert.throws(() => JSON.parse(text))
      assert.throws(
        () => parseJsonWithLines(text),
        (error) => error instanceof JsonProblem && error.line === line && message.test(error.message),
        text.slice(0, 20),
      )
    }
  })
})
