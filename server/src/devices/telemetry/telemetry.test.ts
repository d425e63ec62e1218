import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTelemetry, type Telemetry } from './telemetry.ts'

const arrived = Date.parse('2026-03-01T12:00:00Z')
const second = 1000
const day = 24 * 60 * 60 * second

function read(body: unknown, envelope?: Set<string>): Telemetry {
  const telemetry = readTelemetry(body, arrived, envelope)
  assert.ok(!Array.isArray(telemetry), JSON.stringify(telemetry))
  return telemetry
}

function problems(body: unknown): string[] {
  const details = readTelemetry(body, arrived)
  assert.ok(Array.isArray(details), 'It was accepted.')
  return details.map(({ field, message }) => `${field} ${message}`)
}

const message = (telemetries: unknown, more: object = {}) => ({ status: 'online', telemetries, ...more })
const keysOf = (...keys: string[]) => read(message(Object.fromEntries(keys.map((key) => [key, 1])))).keys

describe('2.6 a message as it is stored', () => {
  it('has the time of its arrival, no id and no firmware version unless it says so', () => {
    const { keys, ...rest } = read(message({ b: 1.5, a: 'x', c: true }))
    assert.deepEqual(rest, {
      status: 'online',
      telemetries: '{"b":1.5,"a":"x","c":true}',
      key_count: 3,
      timestamp: arrived,
      message_id: null,
      firmware_version: null,
    })
  })

  it('may be empty, and of each status', () => {
    for (const status of ['online', 'offline', 'error']) assert.equal(read({ status, telemetries: {} }).status, status)
    assert.equal(read(message({})).key_count, 0)
  })

  it('has what it says', () => {
    const timestamp = '2026-03-01T11:00:00Z'
    const {
      timestamp: at,
      message_id,
      firmware_version,
    } = read(message({}, { timestamp, message_id: 'm', firmware_version: '1.4.2' }))
    assert.deepEqual([at, message_id, firmware_version], [Date.parse(timestamp), 'm', '1.4.2'])
    assert.equal(read(message({}, { timestamp })).message_id, '', 'timestamp and body tell a repeat')
  })

  it('fields beside the message are allowed where its caller names them', () => {
    assert.equal(read(message({}, { id: 'd' }), new Set(['id'])).key_count, 0)
    assert.deepEqual(problems(message({}, { id: 'd' })), ['id is not a known field'])
  })

  it('the digest of its keys depends on each of them and not on values; it is stored, so it stays the same', () => {
    assert.equal(keysOf('a', 'b'), read(message({ a: 'x', b: false })).keys)
    const sets = [[], ['a'], ['b'], ['a', 'b'], ['ab'], ['b', 'a'], ['a', 'bc'], ['ab', 'c'], ['é'], ['temperature']]
    assert.equal(new Set(sets.map((keys) => keysOf(...keys))).size, sets.length)
    assert.deepEqual(
      [keysOf(), keysOf('a'), keysOf('temperature', 'humidity')],
      [2_314_308_208_672_495, 979_755_581_165_302, 1_227_029_405_642_139],
    )
  })
})

describe('2.6, decisions 7.5 and 7.6: what is refused', () => {
  const object = 'body must be an object with status and telemetries'
  const status = 'status must be one of online, offline, error'
  const points = 'telemetries must be an object of data points'
  const name = 'must have a name of 1 to 128 characters'
  const oneLine = 'must have a name without control characters or line separators'
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))

  for (const [title, body, expected] of [
    ['null', null, [object]],
    ['a text', 'x', [object]],
    ['a list', [], [object]],
    ['nothing in it', {}, [status, points]],
    ['another status', { status: 'idle', telemetries: {} }, [status]],
    ['data points that are null', message(null), [points]],
    ['data points that are a list', message([]), [points]],
    ['data points that are a number', message(1), [points]],
    ['a field of another name', message({}, { time: 1 }), ['time is not a known field']],
    ['501 data points', message(many(501)), ['telemetries must have at most 500 keys']],
    ['a name without characters', message({ '': 1 }), [`telemetries. ${name}`]],
    ['a name of 129 characters', message({ ['é'.repeat(129)]: 1 }), [`telemetries.${'é'.repeat(129)} ${name}`]],
    ...['\u0000', '\u001f', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029'].map((character) => [
      `U+${character.charCodeAt(0).toString(16)} in a name`,
      message({ [`a${character}`]: 1 }),
      [`telemetries.a${character} ${oneLine}`],
    ]),
    [
      'a lone surrogate in a name',
      message({ '\ud800': 1 }),
      ['telemetries.\ufffd must have a name without lone surrogates'],
    ],
    ['Infinity', message({ a: Number.POSITIVE_INFINITY }), ['telemetries.a must be a finite number']],
    [
      'a list as a value',
      message({ a: [] }),
      ['telemetries.a must be a number, a string, a boolean, or null to remove it'],
    ],
    [
      'an object as a value',
      message({ a: {} }),
      ['telemetries.a must be a number, a string, a boolean, or null to remove it'],
    ],
    [
      '1,025 bytes of text',
      message({ a: 'é'.repeat(512).concat('a') }),
      ['telemetries.a must be at most 1,024 bytes of text'],
    ],
    ['U+0000 in a text', message({ a: 'a\0' }), ['telemetries.a must be text without U+0000']],
    ['a lone surrogate in a text', message({ a: '\udc00' }), ['telemetries.a must be text without lone surrogates']],
    [
      'a firmware version that is none',
      message({}, { firmware_version: '1' }),
      ['firmware_version must be a semantic version of at most 256 characters, such as 1.4.2'],
    ],
    [
      'everything at once',
      { status: 1, telemetries: { a: [] }, x: 1 },
      ['x is not a known field', status, 'telemetries.a must be a number, a string, a boolean, or null to remove it'],
    ],
  ] as [string, unknown, string[]][]) {
    it(title, () => assert.deepEqual(problems(body), expected))
  }

  it('at most 20 problems are named, and no name is longer than 160 characters', () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, 1]))
    assert.equal(problems({ ...message({}), ...unknown }).length, 20)
    assert.equal(
      problems(message(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, []])))).length,
      20,
    )
    assert.equal(problems(message({}, { ['x'.repeat(200)]: 1 }))[0], `${'x'.repeat(160)}… is not a known field`)
  })

  it('accepts what is just within', () => {
    read(message(many(500)))
    read(message({ ['🙂'.repeat(128)]: 'é'.repeat(512), ' ': 'a'.repeat(1024), '~\u00a0\u2027\u202a': -0 }))
    read(message({}, { firmware_version: `1.4.2-${'a'.repeat(250)}` }))
  })

  it('128 KiB of JSON, in bytes', () => {
    const room = 131_072 - JSON.stringify({ k: '' }).length
    const filled = (bytes: number) => {
      const telemetries: Record<string, string> = {}
      for (let index = 100; JSON.stringify(telemetries).length + 1_030 < bytes; index += 1)
        telemetries[`k${index}`] = 'a'.repeat(1_000)
      const left = bytes - JSON.stringify({ ...telemetries, last: '' }).length
      return { ...telemetries, last: 'a'.repeat(left) }
    }
    assert.equal(read(message(filled(131_072))).telemetries.length, room + JSON.stringify({ k: '' }).length)
    assert.deepEqual(problems(message(filled(131_073))), ['telemetries must be at most 128 KiB of JSON'])
    const wide = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`k${index}`, 'é'.repeat(512)]))
    assert.deepEqual(problems(message(wide)), ['telemetries must be at most 128 KiB of JSON'])
  })
})

describe('2.6 timestamp and message_id', () => {
  const form = 'timestamp must be an RFC 3339 instant, such as 2026-03-01T12:00:00Z'
  const range = 'timestamp must be between 7 days ago and 10 minutes ahead'
  const at = (milliseconds: number) => new Date(arrived + milliseconds).toISOString()
  for (const [sent, expected] of [
    ['2026-03-01T11:00:00Z', '2026-03-01T11:00:00.000Z'],
    ['2026-03-01t11:00:00z', '2026-03-01T11:00:00.000Z'],
    ['2026-03-01T11:00:00.5Z', '2026-03-01T11:00:00.500Z'],
    ['2026-03-01T11:00:00.123987654Z', '2026-03-01T11:00:00.123Z'],
    ['2026-03-01T12:30:00+01:30', '2026-03-01T11:00:00.000Z'],
    ['2026-03-01T09:00:00-02:00', '2026-03-01T11:00:00.000Z'],
    ['2026-02-28T23:59:60Z', '2026-02-28T23:59:59.000Z'],
    [at(-7 * day), at(-7 * day)],
    [at(600 * second), at(600 * second)],
    [`2026-03-01T11:00:00.${'0'.repeat(43)}Z`, '2026-03-01T11:00:00.000Z'],
  ] as const) {
    it(`${sent} is ${expected}`, () => {
      assert.equal(new Date(read(message({}, { timestamp: sent })).timestamp).toISOString(), expected)
    })
  }

  for (const [sent, expected] of [
    [at(-7 * day - 1), range],
    [at(600 * second + 1), range],
    [1_772_366_400, form],
    ['', form],
    ['2026-03-01', form],
    ['2026-03-01T11:00:00', form],
    ['2026-03-01 11:00:00Z', form],
    [' 2026-03-01T11:00:00Z', form],
    ['2026-03-01T11:00:00Z ', form],
    ['2026-02-29T11:00:00Z', form],
    ['2026-02-31T11:00:00Z', form],
    ['2026-13-01T11:00:00Z', form],
    ['2026-03-01T25:00:00Z', form],
    ['2026-03-01T11:00:61Z', form],
    ['2026-03-01T11:00:00+0100', form],
    [`2026-03-01T11:00:00.${'0'.repeat(44)}Z`, form],
  ] as const) {
    it(`${String(sent)} is refused`, () => assert.deepEqual(problems(message({}, { timestamp: sent })), [expected]))
  }

  const timestamp = '2026-03-01T11:00:00Z'
  for (const [title, more, expected] of [
    ['without a timestamp', { message_id: 'm' }, 'timestamp is required with message_id, to recognize a repeat'],
    ['a number', { message_id: 1, timestamp }, 'message_id must be text'],
    ['empty', { message_id: '', timestamp }, 'message_id must have 1 to 64 characters'],
    ['65 characters', { message_id: '🙂'.repeat(65), timestamp }, 'message_id must have 1 to 64 characters'],
    ['with U+0000', { message_id: '\0', timestamp }, 'message_id must be text without U+0000'],
    ['with a lone surrogate', { message_id: '\ud83d', timestamp }, 'message_id must be text without lone surrogates'],
  ] as const) {
    it(`a message_id ${title} is refused`, () => assert.deepEqual(problems(message({}, more)), [expected]))
  }

  it('a message_id has up to 64 characters', () => {
    assert.equal(read(message({}, { message_id: '🙂'.repeat(64), timestamp })).message_id, '🙂'.repeat(64))
  })
})
