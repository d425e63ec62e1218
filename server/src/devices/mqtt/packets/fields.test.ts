import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fields } from './fields.ts'

const fields = (...bytes: number[]) => new Fields(Buffer.from([0xff, ...bytes, 0xff]), 1, 1 + bytes.length)
const malformed = (message: RegExp) => ({ reason: 'malformed_packet', message })
const cutOff = malformed(/ends in the middle of a field/)

describe('the fields of a packet', () => {
  it('numbers', () => {
    const all = fields(1, 2, 3, 4, 5, 6, 7)
    assert.deepEqual([all.byte(), all.uint16(), all.left, all.uint32(), all.left], [1, 0x0203, 4, 0x04050607, 0])
    assert.throws(() => all.byte(), cutOff)
    assert.throws(() => fields(1).uint16(), cutOff)
    assert.throws(() => fields(1, 2, 3).uint32(), cutOff)
  })

  for (const [bytes, value] of [
    [[0x00], 0],
    [[0x7f], 127],
    [[0x80, 0x01], 128],
    [[0xff, 0x7f], 16_383],
    [[0x80, 0x80, 0x01], 16_384],
    [[0xff, 0xff, 0xff, 0x7f], 268_435_455],
  ] as const) {
    it(`[MQTT5 1.5.5] ${Buffer.from(bytes).toString('hex')} is ${value}`, () => {
      const all = fields(...bytes, 9)
      assert.deepEqual([all.variableInteger(), all.byte()], [value, 9])
    })
  }

  it('[MQTT5 1.5.5-1] a variable byte integer has no more bytes than it needs, and four at most', () => {
    for (const bytes of [
      [0x80, 0x00],
      [0x80, 0x80, 0x00],
      [0xff, 0xff, 0xff, 0xff, 0x01],
    ])
      assert.throws(() => fields(...bytes).variableInteger(), malformed(/at most four bytes/))
    assert.throws(() => fields(0x80).variableInteger(), cutOff)
  })

  it('bytes and texts with their length', () => {
    assert.deepEqual([...fields(0, 2, 0, 9).binary()], [0, 9])
    assert.throws(() => fields(0, 2, 9).binary(), cutOff)
    assert.equal(fields(0, 3, 0xef, 0xbb, 0xbf).text(), '\ufeff')
    assert.equal(fields(0, 0).text(), '')
    for (const byte of [0x00, 0xff, 0xc3])
      assert.throws(() => fields(0, 1, byte).text(), malformed(/UTF-8 without U\+0000/))
  })

  it('[MQTT-2.3.1-1] a packet identifier is not zero', () => {
    assert.equal(fields(1, 0).packetIdentifier(), 256)
    assert.throws(() => fields(0, 0).packetIdentifier(), { reason: 'protocol_error', message: /must not be zero/ })
  })

  it('parts, and what is left', () => {
    const all = fields(1, 2, 3, 4)
    const part = all.part(2)
    assert.deepEqual([part.byte(), part.byte(), part.left, all.left], [1, 2, 0, 2])
    assert.throws(() => part.byte(), cutOff)
    assert.throws(() => all.part(3), cutOff)
    assert.throws(() => all.finish(), malformed(/^2 bytes follow the last field/))
    assert.throws(() => fields(1).finish(), malformed(/^1 bytes follow/))
    assert.deepEqual([...all.rest()], [3, 4])
    all.finish()
  })
})
