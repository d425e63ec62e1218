import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mqttLimits } from '../../../platform/own-limits.ts'
import { type Frame, PacketReader } from './packet-reader.ts'

function frameOf(bytes: Buffer): Frame | null {
  const reader = new PacketReader()
  reader.append(bytes)
  return reader.next(mqttLimits.packetBytes)
}

describe('where a packet begins and ends', () => {
  const ping = [0xc0, 0]

  it('one packet per call, and nothing until all of it is there', () => {
    const reader = new PacketReader()
    assert.equal(reader.next(100), null)
    const publish = [0x30, 3, 0, 1, 0x61]
    reader.append(Buffer.from([...ping, ...publish, 0x30]))
    const first = reader.next(100)!
    assert.deepEqual([first.start, first.body, first.end, first.minimal], [0, 2, 2, true])
    const second = reader.next(100)!
    assert.deepEqual([second.start, second.body, second.end], [2, 4, 7])
    assert.equal(reader.next(100), null)
    for (const byte of [2, 0]) {
      reader.append(Buffer.from([byte]))
      assert.equal(reader.next(100), null)
    }
    reader.append(Buffer.from([0, ...ping]))
    const third = reader.next(100)!
    assert.deepEqual([...third.bytes.subarray(third.start, third.end)], [0x30, 2, 0, 0])
    const fourth = reader.next(100)!
    assert.deepEqual([...fourth.bytes.subarray(fourth.start, fourth.end)], ping)
    assert.equal(reader.next(100), null)
  })

  it('a packet behind another is measured by itself', () => {
    const reader = new PacketReader()
    reader.append(Buffer.from([...ping, 0x30, 0x80, 0, 0x30, 8]))
    assert.equal(reader.next(10)!.end, 2)
    assert.equal(reader.next(10)!.minimal, false)
    assert.equal(reader.next(10), null)
    assert.throws(() => reader.next(9), { reason: 'packet_too_large' })
  })

  it('what follows a packet that was read whole begins anew', () => {
    const reader = new PacketReader()
    for (const round of [1, 2, 3]) {
      reader.append(Buffer.from(ping))
      assert.deepEqual([reader.next(10)!.start, round], [0, round])
    }
    assert.equal(reader.next(10), null)
  })

  it('what was cleared is forgotten', () => {
    const reader = new PacketReader()
    reader.append(Buffer.from([0x30]))
    reader.clear()
    reader.append(Buffer.from(ping))
    assert.equal(reader.next(100)!.end, 2)
  })

  for (const [length, bytes, minimal] of [
    [0, [0], true],
    [0, [0x80, 0], false],
    [127, [0x7f], true],
    [128, [0x80, 1], true],
    [127, [0xff, 0], false],
    [16_384, [0x80, 0x80, 1], true],
    [2_097_152, [0x80, 0x80, 0x80, 1], true],
  ] as const) {
    it(`a length of ${length} in ${bytes.length} bytes`, () => {
      const reader = new PacketReader()
      reader.append(Buffer.concat([Buffer.from([0x30, ...bytes]), Buffer.alloc(length)]))
      const frame = reader.next(3_000_000)!
      const body = 1 + bytes.length
      assert.deepEqual([frame.start, frame.body, frame.end, frame.minimal], [0, body, body + length, minimal])
    })
  }

  it('is at most as large as allowed, with its header', () => {
    const reader = new PacketReader()
    reader.append(Buffer.from([0x30, 8]))
    assert.equal(reader.next(10), null)
    assert.throws(() => reader.next(9), { reason: 'packet_too_large', message: 'A packet must not exceed 9 bytes.' })
  })

  it('[MQTT-2.2.2-1, 3.3.1-2, 3.3.1-4] has the flags of its type', () => {
    const flags = [
      [],
      [0],
      [0],
      [0, 1, 2, 3, 4, 5, 10, 11, 12, 13],
      [0],
      [0],
      [2],
      [0],
      [2],
      [0],
      [2],
      ...Array(5).fill([0]),
    ]
    for (let byte = 0; byte < 256; byte += 1) {
      const reader = new PacketReader()
      reader.append(Buffer.from([byte, 0]))
      if (flags[byte >> 4].includes(byte & 15)) assert.equal(reader.next(10)!.end, 2)
      else assert.throws(() => reader.next(10), { reason: 'malformed_packet', message: /wrong flags/ })
    }
  })

  it('a packet that arrives byte by byte is copied a few times, not with every byte', () => {
    const reader = new PacketReader()
    const memory = new Set<ArrayBufferLike>()
    for (const byte of [0x30, 0xe8, 0x07, ...Buffer.alloc(1_000, 7)]) {
      reader.append(Buffer.from([byte]))
      const frame = reader.next(2_000)
      if (frame) memory.add(frame.bytes.buffer)
      if (frame) assert.deepEqual(frame.bytes.subarray(frame.body, frame.end), Buffer.alloc(1_000, 7))
    }
    assert.equal(memory.size, 1)
  })

  it('a header that no packet has, and a length beyond the limit, are refused before the body arrives', () => {
    for (const byte of [0x00, 0x0f, 0x11, 0x36, 0x38, 0x3e, 0x47, 0x60, 0x80, 0xa0, 0xc1, 0xff]) {
      assert.throws(() => frameOf(Buffer.from([byte])), /type that does not exist, or wrong flags/, byte.toString(16))
    }
    assert.throws(() => frameOf(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff])), /at most four bytes/)
    assert.throws(() => frameOf(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])), /must not exceed/)
    const length = mqttLimits.packetBytes - 4
    const header = [0x30, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]
    assert.equal(frameOf(Buffer.from(header)), null)
    assert.equal(frameOf(Buffer.concat([Buffer.from(header), Buffer.alloc(length)]))!.end, 4 + length)
  })
})
