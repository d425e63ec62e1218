import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { parser as createParser, generate, type Packet } from 'mqtt-packet'
import { mqttLimits } from '../../../platform/own-limits.ts'
import { telemetryTopic } from '../device-topics.ts'
import { PacketFault } from './packet-fault.ts'
import { type Frame, PacketReader } from './packet-reader.ts'
import { readOwnPublish } from './publish-packet.ts'
import { readPacket } from './read-packet.ts'

const topic = telemetryTopic('01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70')

function frameOf(bytes: Buffer): Frame | null {
  const reader = new PacketReader()
  reader.append(bytes)
  return reader.next(mqttLimits.packetBytes)
}

/** What a parser that we did not write reads. */
function parseElsewhere({ bytes, start, end }: Frame, protocolVersion: 4 | 5): unknown {
  const parsed: unknown[] = []
  const parser = createParser({ protocolVersion })
  parser.on('packet', (packet) => parsed.push(packet))
  parser.on('error', (error) => parsed.push(error))
  parser.parse(Buffer.from(bytes.subarray(start, end)))
  return parsed[0]
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
  it('a PUBLISH is read as mqtt-packet reads it, whatever its bytes are, and one to the own topic by either way', () => {
    let [read, readFast] = [0, 0]
    for (let round = 0; round < 10_000; round += 1) {
      const version = randomInt(2) === 0 ? 4 : 5
      const bytes = randomInt(2) === 0 ? randomPublish(version) : damaged(randomPublish(version))
      let frame: Frame | null = null
      let publish: ReturnType<typeof readPacket> | null = null
      try {
        frame = frameOf(bytes)
        publish = frame && readPacket(frame, version)
      } catch (error) {
        assert.ok(error instanceof PacketFault)
      }
      const fast = frame && readOwnPublish(frame, topic, version)
      if (publish?.kind !== 'publish') {
        assert.equal(fast, null, bytes.toString('hex'))
        continue
      }
      read += 1
      const { kind, properties, ...fields } = publish
      const parsed = parseElsewhere(frame!, version) as typeof publish & { cmd: string }
      assert.equal(parsed.cmd, kind)
      const { qos, retain, messageId, topic: parsedTopic, payload } = parsed
      assert.deepEqual(fields, { qos, retain, messageId: messageId ?? 0, topic: parsedTopic, payload })
      if (fast) {
        readFast += 1
        assert.deepEqual(fast, fields)
      }
    }
    assert.ok(read > 4_000 && readFast > 1_000, `${read} ${readFast}`)
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
        for (let frame = reader.next(mqttLimits.packetBytes); frame; frame = reader.next(mqttLimits.packetBytes)) {
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
          if (frame) readPacket(frame, 5)
        } catch (error) {
          assert.ok(error instanceof PacketFault)
        }
      }
    }
  })
})
