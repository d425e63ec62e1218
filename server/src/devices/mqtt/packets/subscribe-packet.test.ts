import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fields } from './fields.ts'
import { readSubscribe, readUnsubscribe } from './subscribe-packet.ts'

const text = (value: string) => [0, value.length, ...Buffer.from(value)]
const fieldsOf = (version: 4 | 5, bytes: number[]) => {
  const all = Buffer.from([0, 7, ...(version === 5 ? [0] : []), ...bytes])
  return new Fields(all, 0, all.length)
}
const subscribe = (version: 4 | 5, ...bytes: number[]) => readSubscribe(fieldsOf(version, bytes), version)
const unsubscribe = (version: 4 | 5, ...bytes: number[]) => readUnsubscribe(fieldsOf(version, bytes), version)
const malformed = (message: RegExp) => ({ reason: 'malformed_packet', message })
const protocolError = (message: RegExp) => ({ reason: 'protocol_error', message })

describe('SUBSCRIBE and UNSUBSCRIBE', () => {
  it('have a packet identifier and one filter or more', () => {
    for (const version of [4, 5] as const) {
      const filters = [
        { filter: 'a', qos: 1 },
        { filter: 'b', qos: 2 },
      ]
      const packet = { messageId: 7, filters, hasIdentifier: false }
      assert.deepEqual(subscribe(version, ...text('a'), 1, ...text('b'), 2), packet)
      assert.deepEqual(unsubscribe(version, ...text('a'), ...text('b'), ...text('c')), {
        messageId: 7,
        filters: ['a', 'b', 'c'],
      })
      assert.throws(() => subscribe(version), protocolError(/^SUBSCRIBE needs a topic filter/))
      assert.throws(() => unsubscribe(version), protocolError(/^UNSUBSCRIBE needs a topic filter/))
    }
    assert.throws(() => readSubscribe(new Fields(Buffer.from([0, 0, ...text('a'), 0]), 0, 6), 4), protocolError(/zero/))
  })

  it('in version 5, only SUBSCRIBE has a subscription identifier', () => {
    const withIdentifier = (bytes: number[]) =>
      new Fields(Buffer.from([0, 7, 2, 0x0b, 1, ...bytes]), 0, 5 + bytes.length)
    assert.equal(readSubscribe(withIdentifier([...text('a'), 0]), 5).hasIdentifier, true)
    assert.throws(() => readUnsubscribe(withIdentifier(text('a')), 5), malformed(/does not belong to UNSUBSCRIBE/))
  })

  const wildcards = malformed(/wildcards are whole levels/)
  for (const filter of ['a', '#', '+', 'a/#', '+/a/+', '/', 'a//b', '/#', '$share', '$SYS/#']) {
    it(`[MQTT-4.7.1] ${filter} is a filter`, () => {
      for (const version of [4, 5] as const) assert.equal(unsubscribe(version, ...text(filter)).filters.length, 1)
    })
  }
  for (const filter of ['', 'a#', '#/a', 'a/#/b', 'a+', '+a/b', 'a/b+', '##', '++']) {
    it(`[MQTT-4.7.1-2, 4.7.1-3, 4.7.3-1] ${filter} is none`, () => {
      for (const version of [4, 5] as const) {
        assert.throws(() => unsubscribe(version, ...text(filter)), wildcards)
        assert.throws(() => subscribe(version, ...text(filter), 0), wildcards)
      }
    })
  }

  it('[MQTT5 4.8.2-1, 4.8.2-2] a shared subscription has a name without wildcards, and a filter', () => {
    for (const filter of ['$share/n/a', '$share/n/#', '$share/n//'])
      assert.equal(unsubscribe(5, ...text(filter)).filters.length, 1)
    for (const filter of ['$share/', '$share//a', '$share/n', '$share/n/', '$share/+/a', '$share/n#/a', '$share/n/a#'])
      assert.throws(() => unsubscribe(5, ...text(filter)), wildcards)
    assert.equal(unsubscribe(4, ...text('$share//a')).filters.length, 1, '3.1.1 has none')
  })

  it('[MQTT-3.8.3-4] the options of 3.1.1 are a QoS', () => {
    for (const options of [0, 1, 2]) assert.equal(subscribe(4, ...text('a'), options).filters.length, 1)
    for (const options of [3, 4, 8, 0x10, 0x20, 0x40, 0x80]) {
      assert.throws(() => subscribe(4, ...text('a'), options), malformed(/Reserved subscription options/))
    }
  })

  it('[MQTT5 3.8.3-5, 3.8.3-4] those of version 5 are QoS, no local, retain as published and retain handling', () => {
    for (const options of [0, 1, 2, 4, 8, 0x10, 0x20, 0x2e])
      assert.equal(subscribe(5, ...text('a'), options).filters.length, 1)
    for (const options of [3, 0x40, 0x80]) {
      assert.throws(() => subscribe(5, ...text('a'), options), malformed(/Reserved subscription options/))
    }
    for (const options of [0x30, 0x31])
      assert.throws(() => subscribe(5, ...text('a'), options), protocolError(/Retain handling/))
    assert.throws(() => subscribe(5, ...text('$share/n/a'), 4), protocolError(/shared subscription cannot be no-local/))
    for (const options of [0, 1]) assert.equal(subscribe(5, ...text('$share/n/a'), options).filters.length, 1)
    assert.throws(() => unsubscribe(4, ...text('a'), 0), /middle of a field/)
  })
})
