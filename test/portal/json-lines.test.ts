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

  it('what JSON.parse reads is read, and what it refuses is refused with its line', () => {
    for (const text of ['[]', ' {} ', '"\\u00e9"', '[1,[2,{"a":[]}]]', '-0.5e-3', 'null']) {
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
