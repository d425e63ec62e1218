import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldsOf, readPacket, requireMinimal } from './read-packet.ts'

function frame(header: number, bytes: number[], minimal = true) {
  const all = Buffer.from([9, header, bytes.length, ...bytes, 9])
  return { bytes: all, start: 1, body: 3, end: 3 + bytes.length, minimal }
}
const read = (version: 4 | 5, header: number, bytes: number[], minimal = true) =>
  readPacket(frame(header, bytes, minimal), version)

describe('packets of an open connection', () => {
  for (const [header, bytes, kind] of [
    [0x30, [0, 1, 0x61], 'publish'],
    [0x40, [0, 1], 'puback'],
    [0x82, [0, 1, 0, 1, 0x61, 0], 'subscribe'],
    [0xa2, [0, 1, 0, 1, 0x61], 'unsubscribe'],
    [0xc0, [], 'pingreq'],
    [0xe0, [], 'disconnect'],
  ] as const) {
    it(`${kind}`, () => assert.equal(read(4, header, [...bytes]).kind, kind))
  }

  it('[MQTT-3.1.0-2] no others', () => {
    for (const type of [0, 1, 2, 5, 6, 7, 9, 11, 13, 15]) {
      const message = `Unexpected packet of type ${type}.`
      assert.throws(() => read(4, type << 4, []), { reason: 'protocol_error', message })
    }
  })

  it('PINGREQ has no body', () => assert.throws(() => read(4, 0xc0, [0]), /1 bytes follow/))

  it('[MQTT5 1.5.5-1] in version 5 a length has no more bytes than it needs', () => {
    assert.throws(() => read(5, 0xc0, [], false), { reason: 'malformed_packet', message: /length of a packet/ })
    assert.equal(read(4, 0xc0, [], false).kind, 'pingreq')
    requireMinimal(frame(0xc0, []), 5)
    assert.equal(fieldsOf(frame(0xc0, [1, 2])).left, 2)
  })
})
