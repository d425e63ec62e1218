import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { generate, type Packet } from 'mqtt-packet'
import { maxPacketBytes } from './limits.ts'
import { type Frame, PacketReader, PacketTooLarge, parsePacket, readOwnPublish } from './packet-reader.ts'
import { telemetryTopic } from './publish.ts'

const topic = telemetryTopic('01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70')

function frameOf(bytes: Buffer): Frame | null {
  const reader = new PacketReader()
  reader.append(bytes)
  return reader.next()
}

function randomPublish(version: 4 | 5): Buffer {
  const qos = randomInt(3) as 0 | 1 | 2
  const other = ['', topic.toUpperCase(), topic.slice(1), `${topic}/x`, 'v1/devices/+/telemetry', 'ü'.repeat(40)]
  const packet: Packet = {
    cmd: 'publish',
    topic: randomInt(3) > 0 ? topic : other[randomInt(other.length)]!,
    payload: randomBytes(randomInt(2) * randomInt(300)),
    qos,
    dup: qos > 0 && randomInt(2) === 0,
    retain: randomInt(2) === 0,
    ...(qos > 0 ? { messageId: 1 + randomInt(65_535) } : {}),
    ...(version === 5 && randomInt(2) === 0 ? { properties: { contentType: 'application/json' } } : {}),
  }
  if (packet.topic === '') packet.topic = 'x'
  return generate(packet, { protocolVersion: version })
}

/** A few bytes changed, removed or added, most of them near the start, where the lengths are. */
function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let left = randomInt(3); left > 0; left -= 1) {
    copy[randomInt(2) === 0 ? randomInt(Math.min(8, copy.length)) : randomInt(copy.length)] = randomInt(256)
  }
  return randomInt(4) === 0 ? copy.subarray(0, randomInt(1, copy.length + 1)) : copy
}

describe('reading packets', () => {
  it('a PUBLISH to the own topic is read as mqtt-packet reads it, whatever its bytes are', () => {
    let read = 0
    for (let round = 0; round < 20_000; round += 1) {
      const version = randomInt(2) === 0 ? 4 : 5
      const bytes = randomInt(2) === 0 ? randomPublish(version) : damaged(randomPublish(version))
      let frame: Frame | null = null
      try {
        frame = frameOf(bytes)
      } catch {}
      const publish = frame && readOwnPublish(frame, topic, version)
      if (!publish) continue
      read += 1
      const parsed = parsePacket(frame!, version)
      assert.equal(parsed.cmd, 'publish')
      const { qos, retain, messageId, topic: parsedTopic, payload, properties } = parsed as Packet & typeof publish
      assert.deepEqual(
        { ...publish, payload: publish.payload.toString('hex'), messageId: publish.messageId },
        { qos, retain, messageId: messageId ?? undefined, topic: parsedTopic, payload: payload.toString('hex') },
        bytes.toString('hex'),
      )
      assert.equal(properties, undefined)
    }
    assert.ok(read > 2_000, `${read}`)
  })

  it('however the bytes are cut, the packets are the same; damaged bytes only throw', () => {
    for (let round = 0; round < 500; round += 1) {
      const packets = Array.from({ length: 1 + randomInt(6) }, () => randomPublish(4))
      const all = Buffer.concat(packets)
      const reader = new PacketReader()
      const found: string[] = []
      for (let at = 0; at < all.length; ) {
        const next = Math.min(all.length, at + 1 + randomInt(randomInt(2) === 0 ? 3 : 400))
        // A copy, which is then overwritten: what was read must not depend on the memory of a later chunk.
        reader.append(Buffer.from(all.subarray(at, next)))
        at = next
        // Not always: packets wait in the reader while the connection is paused.
        if (randomInt(3) === 0 && at < all.length) continue
        for (let frame = reader.next(); frame; frame = reader.next()) {
          found.push(frame.bytes.toString('hex', frame.start, frame.end))
        }
      }
      assert.deepEqual(
        found,
        packets.map((packet) => packet.toString('hex')),
      )
      for (const packet of packets) {
        try {
          const frame = frameOf(damaged(packet))
          if (frame) parsePacket(frame, 5)
        } catch (error) {
          assert.ok(error instanceof Error)
        }
      }
      // Whatever a connection sent, the next one's packets are read.
      assert.equal(parsePacket(frameOf(generate({ cmd: 'pingreq' }))!, 5).cmd, 'pingreq')
    }
  })

  it('a header that no packet has, and a length beyond the limit, are refused before the body arrives', () => {
    for (const byte of [0x00, 0x0f, 0x11, 0x36, 0x3e, 0x47, 0x60, 0x80, 0xa0, 0xc1, 0xff]) {
      assert.throws(() => frameOf(Buffer.from([byte])), /type or flags/, byte.toString(16))
    }
    assert.throws(() => frameOf(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff])), /variable byte integer/)
    assert.throws(() => frameOf(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])), PacketTooLarge)
    const length = maxPacketBytes
    const header = [0x30, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]
    assert.equal(frameOf(Buffer.from(header)), null)
    assert.equal(frameOf(Buffer.concat([Buffer.from(header), Buffer.alloc(length)]))!.end, 4 + length)
  })

  it('one connection’s version does not change how another’s packets are read', () => {
    const connect = (protocolVersion: 4 | 5) =>
      generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion, clean: true, clientId: 'x', keepalive: 0 })
    const publish = frameOf(
      generate({ cmd: 'publish', topic: 'x', payload: 'y', qos: 0, dup: false, retain: false }, { protocolVersion: 4 }),
    )!
    for (const version of [5, 4] as const) {
      assert.equal(parsePacket(frameOf(connect(version))!, 4).cmd, 'connect')
      assert.equal((parsePacket(publish, 4) as unknown as { payload: Buffer }).payload.toString(), 'y')
    }
  })
})
