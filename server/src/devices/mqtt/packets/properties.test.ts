import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fields } from './fields.ts'
import { type Bearer, type Properties, readProperties } from './properties.ts'

const bearers = ['connect', 'will', 'publish', 'subscribe', 'unsubscribe', 'puback', 'disconnect'] as const
const message = ['will', 'publish'] as const
const a = [0, 1, 0x61]

function read(bearer: Bearer, ...bytes: number[]): Properties {
  const fields = new Fields(Buffer.from([bytes.length, ...bytes, 0xff]), 0, bytes.length + 2)
  const properties = readProperties(fields, bearer)
  assert.equal(fields.left, 1, 'what follows is not read')
  return properties
}

/** [MQTT5 table 2-4] a property with a value that is right, whose it is, and what becomes of it here. */
const table: [id: number, value: number[], of: readonly Bearer[], read: Properties][] = [
  [0x01, [1], message, {}],
  [0x02, [0, 0, 0, 0], message, {}],
  [0x03, a, message, {}],
  [0x08, a, message, { responseTopic: 'a' }],
  [0x09, [0, 1, 0xff], message, {}],
  [0x0b, [0x80, 0x01], ['subscribe'], { subscriptionIdentifier: 128 }],
  [0x11, [0, 0, 1, 0], ['connect', 'disconnect'], { sessionExpiryInterval: 256 }],
  [0x15, a, ['connect'], { authenticationMethod: 'a' }],
  [0x17, [0], ['connect'], { requestProblemInformation: 0 }],
  [0x18, [0, 0, 0, 0], ['will'], {}],
  [0x19, [1], ['connect'], {}],
  [0x1c, a, ['disconnect'], {}],
  [0x1f, a, ['puback', 'disconnect'], {}],
  [0x21, [0, 1], ['connect'], { receiveMaximum: 1 }],
  [0x22, [0, 0], ['connect'], {}],
  [0x23, [0, 0], ['publish'], { topicAlias: 0 }],
  [0x26, [...a, ...a], bearers, { userProperties: [['a', 'a']] }],
  [0x27, [0, 0, 0, 1], ['connect'], { maximumPacketSize: 1 }],
]
const protocolError = (text: RegExp) => ({ reason: 'protocol_error', message: text })

describe('[MQTT5 2.2.2] properties', () => {
  for (const [id, value, of, expected] of table) {
    it(`0x${id.toString(16).padStart(2, '0')} belongs to ${of.join(', ')}`, () => {
      for (const bearer of bearers) {
        if (of.includes(bearer)) assert.deepEqual(read(bearer, id, ...value), { userProperties: [], ...expected })
        else {
          const text = `Property 0x${id.toString(16).padStart(2, '0')} does not belong to ${bearer.toUpperCase()}.`
          assert.throws(() => read(bearer, id, ...value), { reason: 'malformed_packet', message: text })
        }
      }
    })
    if (id !== 0x26) {
      it(`0x${id.toString(16).padStart(2, '0')} must not occur twice`, () => {
        assert.throws(
          () => read(of[0]!, id, ...value, id, ...value),
          protocolError(/^Property 0x.. must not occur twice/),
        )
      })
    }
  }

  it('there are no others', () => {
    const known = new Set([...table.map(([id]) => id), 0x16])
    for (let id = 0; id < 0x80; id += 1)
      for (const bearer of bearers) if (!known.has(id)) assert.throws(() => read(bearer, id), /does not belong to/)
  })

  it('user properties may occur often', () => {
    const twice = [0x26, ...a, ...a, 0x26, ...a, 0, 0]
    assert.deepEqual(read('publish', ...twice), {
      userProperties: [
        ['a', 'a'],
        ['a', ''],
      ],
    })
  })

  it('authentication data needs a method', () => {
    assert.deepEqual(read('connect', 0x16, 0, 1, 0xff, 0x15, ...a), { userProperties: [], authenticationMethod: 'a' })
    assert.throws(() => read('connect', 0x16, 0, 1, 0xff), protocolError(/needs an authentication method/))
    for (const bearer of bearers.slice(1)) assert.throws(() => read(bearer, 0x16, 0, 0), /does not belong to/)
  })

  it('flags are 0 or 1, and some numbers are not 0', () => {
    for (const [bearer, id] of [
      ['will', 0x01],
      ['connect', 0x17],
      ['connect', 0x19],
    ] as const) {
      assert.deepEqual(Object.keys(read(bearer, id, 1)).length > 0, true)
      assert.throws(() => read(bearer, id, 2), protocolError(/must be 0 or 1/))
    }
    for (const bytes of [
      [0x21, 0, 0],
      [0x27, 0, 0, 0, 0],
    ])
      assert.throws(() => read('connect', ...bytes), protocolError(/must not be 0/))
    assert.throws(() => read('subscribe', 0x0b, 0), protocolError(/must not be 0/))
  })

  it('[MQTT5 3.3.2-14] a response topic has no wildcards', () => {
    for (const wildcard of ['+', '#']) {
      assert.throws(
        () => read('publish', 0x08, 0, 1, wildcard.charCodeAt(0)),
        protocolError(/must not contain wildcards/),
      )
    }
  })

  it('a property that does not end within them is malformed', () => {
    assert.throws(() => read('publish', 0x23, 0), { reason: 'malformed_packet', message: /middle of a field/ })
  })
})
