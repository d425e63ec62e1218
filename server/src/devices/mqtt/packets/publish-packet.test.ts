import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fields } from './fields.ts'
import { readOwnPublish, readPublish } from './publish-packet.ts'

const text = (value: string) => [0, value.length, ...Buffer.from(value)]

function publish(version: 4 | 5, header: number, ...bytes: number[]) {
  return readPublish(new Fields(Buffer.from(bytes), 0, bytes.length), header, version)
}

/** Between bytes of other packets. */
function own(version: 4 | 5, header: number, bytes: number[], minimal = true) {
  const all = Buffer.from([9, header, 0, ...bytes, 9, 9])
  return readOwnPublish({ bytes: all, start: 1, body: 3, end: 3 + bytes.length, minimal }, 'own', version)
}

describe('a PUBLISH', () => {
  it('has a topic, a payload and what its header says', () => {
    const { properties, ...rest } = publish(4, 0x30, ...text('a'), 7, 8)
    assert.deepEqual(rest, { qos: 0, retain: false, messageId: 0, topic: 'a', payload: Buffer.from([7, 8]) })
    assert.deepEqual(properties, {})
    const { qos, retain, messageId } = publish(4, 0x33, ...text('a'), 1, 2)
    assert.deepEqual([qos, retain, messageId], [1, true, 258])
    assert.equal(publish(4, 0x34, ...text('a'), 1, 2).qos, 2)
    assert.throws(() => publish(4, 0x32, ...text('a'), 0, 0), { reason: 'protocol_error' })
  })

  it('has properties in version 5', () => {
    const { properties, payload } = publish(5, 0x30, ...text('a'), 3, 0x23, 0, 4, 7)
    assert.deepEqual([properties, [...payload]], [{ userProperties: [], topicAlias: 4 }, [7]])
  })

  it('[MQTT-4.7.3-1] needs a topic, or its alias', () => {
    const empty = { reason: 'protocol_error', message: /must not be empty/ }
    assert.throws(() => publish(4, 0x30, 0, 0), empty)
    assert.throws(() => publish(5, 0x30, 0, 0, 0), empty)
    assert.equal(publish(5, 0x30, 0, 0, 3, 0x23, 0, 1).topic, '')
  })
})

describe('a PUBLISH to the own topic, which is read faster', () => {
  const read = { retain: false, messageId: 0, topic: 'own' }

  it('is read as any other', () => {
    const payload = Buffer.from([7])
    assert.deepEqual(own(4, 0x30, [...text('own'), 7]), { qos: 0, ...read, payload })
    assert.deepEqual(own(4, 0x33, [...text('own'), 1, 2, 7]), {
      qos: 1,
      ...read,
      retain: true,
      messageId: 258,
      payload,
    })
    assert.deepEqual(own(4, 0x34, [...text('own'), 0, 1]), { qos: 2, ...read, messageId: 1, payload: Buffer.from([]) })
    assert.deepEqual(own(5, 0x30, [...text('own'), 0, 7]), { qos: 0, ...read, payload })
    assert.deepEqual(own(5, 0x30, [...text('own'), 0])!.payload.length, 0)
    assert.deepEqual(own(4, 0x30, text('own'))!.payload.length, 0)
    assert.deepEqual(own(4, 0x30, [...text('own'), 7], false)!.qos, 0, '3.1.1 does not demand the shortest length')
  })

  for (const [title, version, header, bytes, minimal] of [
    ['another packet', 4, 0x20, text('own'), true],
    ['another topic', 4, 0x30, text('oww'), true],
    ['a longer topic', 4, 0x30, text('own/'), true],
    ['a shorter topic', 4, 0x30, [...text('ow'), 0x6e], true],
    ['a topic that is cut off', 4, 0x30, [0, 3, 0x6f, 0x77], true],
    ['no packet identifier', 4, 0x32, text('own'), true],
    ['half a packet identifier', 4, 0x32, [...text('own'), 1], true],
    ['a packet identifier of zero', 4, 0x32, [...text('own'), 0, 0], true],
    ['properties', 5, 0x30, [...text('own'), 2, 0x01, 1], true],
    ['no length of properties', 5, 0x30, text('own'), true],
    ['a length that is longer than it needs to be', 5, 0x30, [...text('own'), 0], false],
  ] as const) {
    it(`is left to the other way: ${title}`, () => assert.equal(own(version, header, [...bytes], minimal), null))
  }
})
