import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Fields } from './fields.ts'
import { readPuback } from './puback-packet.ts'

const puback = (version: 4 | 5, ...bytes: number[]) =>
  readPuback(new Fields(Buffer.from(bytes), 0, bytes.length), version)

describe('a PUBACK', () => {
  it('what is left out is 0', () => {
    for (const version of [4, 5] as const) {
      assert.deepEqual(puback(version, 0x12, 0x34), { messageId: 0x1234, reasonCode: 0 })
    }
    assert.deepEqual(puback(5, 0, 1, 0x10), { messageId: 1, reasonCode: 0x10 })
    assert.deepEqual(puback(5, 0, 1, 0x97, 4, 0x1f, 0, 1, 0x61), { messageId: 1, reasonCode: 0x97 })
  })

  it('[MQTT5 3.4.2-1] has a reason code of the table', () => {
    const good = [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]
    for (let code = 0; code < 0x100; code += 1) {
      if (good.includes(code)) assert.equal(puback(5, 0, 1, code).reasonCode, code)
      else assert.throws(() => puback(5, 0, 1, code), { reason: 'malformed_packet', message: /no reason code/ })
    }
  })

  it('is refused with no identifier, one of zero, properties of another packet or bytes behind it', () => {
    assert.throws(() => puback(4, 1), /middle of a field/)
    assert.throws(() => puback(4, 0, 0), { reason: 'protocol_error' })
    assert.throws(() => puback(4, 0, 1, 0), /1 bytes follow/)
    assert.throws(() => puback(5, 0, 1, 0, 0, 0), /1 bytes follow/)
    assert.throws(() => puback(5, 0, 1, 0, 2, 0x01, 1), /does not belong to PUBACK/)
  })
})
