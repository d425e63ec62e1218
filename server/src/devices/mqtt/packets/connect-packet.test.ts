import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConnect, readProtocolVersion } from './connect-packet.ts'
import { Fields } from './fields.ts'

const text = (value: string) => [value.length >> 8, value.length & 0xff, ...Buffer.from(value)]
const fieldsOf = (bytes: number[]) => new Fields(Buffer.from(bytes), 0, bytes.length)
const connect = (version: 4 | 5, flags: number, ...rest: number[]) =>
  readConnect(fieldsOf([flags, 0x01, 0x02, ...rest]), version)
const malformed = (message: RegExp) => ({ reason: 'malformed_packet', message })
const none = { will: null, username: undefined, password: undefined }

describe('[MQTT-3.1.2-2] the protocol of a CONNECT', () => {
  const version = (name: string, level: number) => readProtocolVersion(fieldsOf([...text(name), level]))

  it('is 3.1.1 or 5', () => {
    assert.equal(version('MQTT', 4), 4)
    assert.equal(version('MQTT', 5), 5)
  })

  for (const [name, level] of [
    ['MQTT', 3],
    ['MQTT', 6],
    ['MQIsdp', 3],
    ['MQIsdp', 4],
    ['MQIsdp', 5],
  ] as const) {
    it(`${name} ${level} is not supported`, () => {
      assert.throws(() => version(name, level), { reason: 'unsupported_version', message: /3\.1\.1 or 5/ })
    })
  }

  it('another name is no MQTT', () => assert.throws(() => version('HTTP', 4), malformed(/protocol name/)))
})

describe('a CONNECT', () => {
  it('has a client id and a keep alive', () => {
    assert.deepEqual(connect(4, 0x02, ...text('d')), { clientId: 'd', keepAlive: 258, ...none, properties: {} })
  })

  it('has properties in version 5', () => {
    const { properties } = connect(5, 0x02, 5, 0x11, 0, 0, 0, 9, ...text('d'))
    assert.deepEqual(properties, { sessionExpiryInterval: 9, userProperties: [] })
  })

  it('has a user name and a password if its flags say so', () => {
    const { username, password } = connect(4, 0xc2, ...text('d'), ...text('user'), ...text('key'))
    assert.deepEqual([username, String(password)], ['user', 'key'])
    assert.deepEqual(connect(4, 0x82, ...text('d'), ...text('user')).username, 'user')
    assert.equal(String(connect(5, 0x42, 0, ...text('d'), ...text('key')).password), 'key')
    assert.throws(() => connect(4, 0x42, ...text('d'), ...text('key')), malformed(/A password needs a user name/))
  })

  for (const [flags, will] of [
    [0x04, { qos: 0, retain: false }],
    [0x0c, { qos: 1, retain: false }],
    [0x14, { qos: 2, retain: false }],
    [0x24, { qos: 0, retain: true }],
  ] as const) {
    it(`has a will: ${flags.toString(16)}`, () => {
      const expected = { ...will, topic: 't', payload: Buffer.from('gone') }
      assert.deepEqual(connect(4, flags, ...text('d'), ...text('t'), ...text('gone')).will, expected)
      assert.deepEqual(connect(5, flags, 0, ...text('d'), 2, 0x01, 1, ...text('t'), ...text('gone')).will, expected)
    })
  }

  it('that does not conform is malformed', () => {
    assert.throws(() => connect(4, 0x03, ...text('d')), malformed(/reserved flag/))
    for (const flags of [0x08, 0x10, 0x18, 0x20])
      assert.throws(() => connect(4, flags, ...text('d')), malformed(/Without a will/))
    assert.throws(() => connect(4, 0x1c, ...text('d'), ...text('t'), ...text('')), malformed(/must not be 3/))
    assert.throws(() => connect(4, 0x02, ...text('d'), 0), malformed(/1 bytes follow/))
  })
})
