import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Environment } from './environment.ts'

/** What is read of one value, and what is wrong with it. */
function read<Value>(value: string | undefined, reader: (environment: Environment) => Value): [Value, string[]] {
  const environment = new Environment(value === undefined ? {} : { V: value })
  const result = reader(environment)
  for (const { variable } of environment.faults) assert.equal(variable, 'V')
  return [result, environment.faults.map(({ message }) => message)]
}

describe('variables', () => {
  it('an empty one is unset, and spaces around it do not count', () => {
    for (const [value, expected] of [
      [undefined, null],
      ['', null],
      [' ', null],
      [' a ', 'a'],
    ] as const)
      assert.deepEqual(
        read(value, (all) => all.text('V')),
        [expected, []],
      )
  })

  it('a text with a form', () => {
    const matching = (value: string | undefined) => read(value, (all) => all.matching('V', /^a+$/, 'must be a'))
    assert.deepEqual(matching('aa'), ['aa', []])
    assert.deepEqual(matching('b'), ['b', ['must be a']])
    assert.deepEqual(matching(undefined), [null, []])
  })

  it('one of several', () => {
    const oneOf = (value: string | undefined) => read(value, (all) => all.oneOf('V', ['a', 'b'], 'b'))
    assert.deepEqual(oneOf(undefined), ['b', []])
    assert.deepEqual(oneOf('a'), ['a', []])
    assert.deepEqual(oneOf('c'), ['c', ['must be one of a, b']])
  })

  it('true or false', () => {
    for (const [value, fallback, expected, faults] of [
      [undefined, true, true, []],
      [undefined, false, false, []],
      ['true', false, true, []],
      ['false', true, false, []],
      ['yes', true, true, ['must be true or false']],
    ] as const)
      assert.deepEqual(
        read(value, (all) => all.flag('V', fallback)),
        [expected, faults],
      )
  })

  it('a port', () => {
    const fault = 'must be a port from 0 to 65535 (0 means any free one)'
    for (const [value, expected, faults] of [
      [undefined, 8080, []],
      ['0', 0, []],
      ['65535', 65_535, []],
      ['65536', 8080, [fault]],
      ['000001', 8080, [fault]],
      ['-1', 8080, [fault]],
      ['1e3', 8080, [fault]],
      ['80a', 8080, [fault]],
    ] as const)
      assert.deepEqual(
        read(value, (all) => all.port('V', 8080)),
        [expected, faults],
      )
  })

  it('a count', () => {
    const fault = 'must be a number of days from 2 to 9'
    for (const [value, count, faults] of [
      [undefined, 3, []],
      ['2', 2, []],
      ['9', 9, []],
      ['1', 1, [fault]],
      ['10', 10, [fault]],
      ['0', 0, [fault]],
      ['3.5', 3.5, [fault]],
      ['+3', 3, [fault]],
      ['3 ', 3, []],
    ] as const)
      assert.deepEqual(
        read(value, (all) => all.count('V', { fallback: 3, min: 2, max: 9, of: 'days' })),
        [count, faults],
      )
    assert.deepEqual(
      read('0', (all) => all.count('V', { fallback: 3, max: 9 })),
      [0, []],
    )
    assert.deepEqual(read('x', (all) => all.count('V', { fallback: 3, max: 9 }))[1], ['must be a number from 0 to 9'])
    const orZero = { fallback: 3, min: 2, max: 9, orZero: 'for none' }
    assert.deepEqual(
      read('0', (all) => all.count('V', orZero)),
      [0, []],
    )
    assert.deepEqual(read('1', (all) => all.count('V', orZero))[1], ['must be a number from 2 to 9, or 0 for none'])
    const large = { fallback: 3, max: 9_999_999_999 }
    assert.deepEqual(read('999999999', (all) => all.count('V', large))[1], [])
    assert.deepEqual(read('1000000000', (all) => all.count('V', large))[1], ['must be a number from 0 to 9999999999'])
  })

  it('numbers by name', () => {
    const numbers = (value: string | undefined) => read(value, (all) => all.numbers('V', { a: 1, b: 2 }))
    const fault = (part: string) => `"${part}" must be a name, = and a number from 1 to 999999999; the names are a, b`
    assert.deepEqual(numbers(undefined), [{ a: 1, b: 2 }, []])
    assert.deepEqual(numbers('b=999999999, a=10,'), [{ a: 10, b: 999_999_999 }, []])
    for (const part of ['c=1', 'toString=1', 'a', 'a=', 'a=0', 'a=01', 'a=-1', 'a=1=1', 'a=1000000000', 'a=1x'])
      assert.deepEqual(numbers(`b=7,${part}`), [{ a: 1, b: 7 }, [fault(part)]])
  })

  it('an address', () => {
    const url = (value: string | undefined, path = false) =>
      read(value, (all) => all.url('V', ['http:', 'https:'], { path }))
    const absolute = 'must be an absolute address, such as https://devices.example.com'
    const bare = 'must have no path, query, fragment or credentials, such as https://devices.example.com'
    assert.deepEqual(url(undefined), [null, []])
    assert.deepEqual(url('https://a.example//'), ['https://a.example', [bare]])
    assert.deepEqual(url('http://a.example/'), ['http://a.example', []])
    for (const value of ['a.example', 'ftp://a.example']) assert.deepEqual(url(value)[1], [absolute])
    for (const value of ['https://a.example/b', 'https://a.example?b', 'https://a.example#b', 'https://b@a.example'])
      assert.deepEqual(url(value)[1], [bare])
    assert.deepEqual(url('https://a.example/b//', true), ['https://a.example/b', []])
    assert.deepEqual(url('https://a.example/b?c', true)[1], [bare.replace('path, ', '')])
  })

  it('ranges of addresses', () => {
    const ranges = (value: string) => read(value, (all) => all.ranges('V'))
    const good = ['10.0.0.0/8', '192.0.2.1', '192.0.2.1/32', '192.0.2.1/0', '::1', 'fd00::/8', 'fd00::/128']
    assert.deepEqual(ranges(good.join(' , ')), [good, []])
    for (const bad of [
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/0008',
      '10.0.0/8',
      'a',
      '10.0.0.0/x',
    ])
      assert.deepEqual(ranges(bad), [[bad], [`"${bad}" is no address or CIDR range, such as 10.0.0.0/8`]])
  })

  it('names those with our prefix that nobody has read, in order', () => {
    const environment = new Environment({ X_C: '1', X_A: '1', X_B: '1', Y: '1' })
    environment.text('X_B')
    assert.deepEqual(environment.unknown('X_'), ['X_A', 'X_C'])
  })
})
