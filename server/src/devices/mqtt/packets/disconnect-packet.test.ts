import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDisconnect } from './disconnect-packet.ts'
import { Fields } from './fields.ts'

const disconnect = (version: 4 | 5, ...bytes: number[]) =>
  readDisconnect(new Fields(Buffer.from(bytes), 0, bytes.length), version)

describe('a DISCONNECT', () => {
  it('what is left out is 0', () => {
    for (const version of [4, 5] as const) assert.deepEqual(disconnect(version), { reasonCode: 0, properties: {} })
    assert.deepEqual(disconnect(5, 0x04), { reasonCode: 4, properties: {} })
    assert.deepEqual(disconnect(5, 0x00, 0), { reasonCode: 0, properties: { userProperties: [] } })
    const { properties } = disconnect(5, 0x00, 5, 0x11, 0, 0, 0, 9)
    assert.deepEqual(properties, { sessionExpiryInterval: 9, userProperties: [] })
  })

  it('[MQTT5 3.14.2.1] has a reason code of a client', () => {
    const good = [0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99]
    for (let code = 0; code < 0x100; code += 1) {
      if (good.includes(code)) assert.equal(disconnect(5, code).reasonCode, code)
      else assert.throws(() => disconnect(5, code), { reason: 'malformed_packet', message: /no reason code/ })
    }
  })

  it('has nothing after its last field, in 3.1.1 nothing at all', () => {
    assert.throws(() => disconnect(4, 0), /1 bytes follow/)
    assert.throws(() => disconnect(5, 0, 0, 0), /1 bytes follow/)
  })
})
