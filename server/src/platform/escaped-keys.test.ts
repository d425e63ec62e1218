import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fuzzSeed } from '../../../test/support/fuzz-seed.ts'
import { endOfString, parseExactly, TooManyEscapedKeys } from './escaped-keys.ts'

const parse = (text: string) => parseExactly(text)

const names = fc.oneof(
  fc.string({ unit: fc.constantFrom('\\', '"', '/', '\t', '\n', 't', 'a', 'u', '0', ':', ' '), maxLength: 4 }),
  fc.constantFrom('__proto__', 'constructor', '1'),
)

/** The same text with every character of its strings escaped. */
const escaped = (text: string) =>
  text.replace(/./gs, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Written without JSON.stringify's choice of escapes. */
function write(members: [string, number][], all: boolean): string {
  const key = (name: string) => (all ? `"${escaped(name)}"` : JSON.stringify(name))
  return `{${members.map(([name, value]) => `${key(name)} \n:${value}`).join(',')}}`
}

describe('decision 7.25: keys with escapes', () => {
  it('are read as they are written, whatever was parsed before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.integer())), fc.boolean(), (members, all) => {
        const object = parse(write(members, all)) as object
        assert.deepEqual(new Map(Object.entries(object)), new Map(Object.entries(Object.fromEntries(members))))
      }),
      { numRuns: 3_000, seed: fuzzSeed },
    )
  })

  it('whatever it is nested in and however much space there is before the colon', () => {
    for (const [text, value] of [
      ['{"\\n"\t\r\n  :1}', { '\n': 1 }],
      ['[[],null,1,{"\\t":{"\\n":[{"\\"":1}]}},"x"]', [[], null, 1, { '\t': { '\n': [{ '"': 1 }] } }, 'x']],
      ['{"a":"\\n","b":1}', { a: '\n', b: 1 }],
      ['"\\n"', '\n'],
      ['{"plain":{"\\u0061":null,"\\n":null}}', { plain: { a: null, '\n': null } }],
      ['{"\\u007f":1,"\\u001f":2}', { '\u007f': 1, '\u001f': 2 }],
    ] as const)
      assert.deepEqual(parse(text), value)
    const read = parse('{"\\n":1,"__proto__":2}') as Record<string, number>
    Reflect.set(read, '__proto__', 3)
    assert.deepEqual(Object.entries(read), [
      ['\n', 1],
      ['__proto__', 3],
    ])
    assert.ok(Reflect.deleteProperty(read, '__proto__'))
    assert.equal(endOfString('"a\\"b"c', 0), 5)
    assert.equal(endOfString('"a', 0), 2)
  })

  it('the same key counts once, however often it occurs', () => {
    assert.deepEqual(parseExactly('[{"\\n":1},{"\\n":2}]', JSON.parse, 1), [{ '\n': 1 }, { '\n': 2 }])
    assert.throws(() => parseExactly('[{"\\n":1},{"\\t":2}]', JSON.parse, 1), TooManyEscapedKeys)
  })

  it('one caller cannot change the names in the message of another', () => {
    for (let time = 0; time < 3; time += 1) parse('{"status":1,"\\\\":2}')
    assert.deepEqual(Object.keys(parse('{"status":1,"\\t":2}') as object), ['status', '\t'])
    assert.deepEqual(Object.keys(parse('{"status":1,"\\"":2}') as object), ['status', '"'])
  })

  it('values, nested objects and repeated keys keep their meaning', () => {
    const text = '[{"\\"a":"\\"b\\":","x":{"\\u0061":1,"a":2,"\\\\":[{"\\n":null}]}},"\\":"]'
    assert.deepEqual(parse(text), [{ '"a': '"b":', x: { a: 2, '\\': [{ '\n': null }] } }, '":'])
  })

  it('what checks the text is given every name as it is, also one that V8 would have read wrongly', () => {
    const checked: string[][] = []
    const check = (text: string) => {
      const value = JSON.parse(text) as object
      checked.push(Object.keys(value))
      return value
    }
    const value = parseExactly('{"\\u005f\\u005fproto__":{"a":1},"\\n":{"\\u0062":2}}', check)
    assert.equal(checked[0]![0], '__proto__')
    assert.deepEqual(Object.entries(value as object), [
      ['__proto__', { a: 1 }],
      ['\n', { b: 2 }],
    ])
    assert.throws(() => parseExactly('{"\\n":1,"\\t":2,"\\u0061":3}', JSON.parse, 2), TooManyEscapedKeys)
    for (const text of ['{"\\x":1}', '{"\\n":1', '{"\\n" 1}', '\\"a":1}', '{"a\n\\n":1}', '{"\\', '{"\\n":1}"'])
      assert.throws(() => parse(text), SyntaxError, text)
  })
})
