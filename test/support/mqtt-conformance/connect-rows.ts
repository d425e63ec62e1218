import { connect, hex, packet, publish, text, uint16, withLongLength, withWill } from './bytes.ts'
import { accepted, first, malformedConnect, protocolError, then } from './row.ts'

const invalidUtf8 = hex('61 c0 80')
const surrogate = hex('ed a0 80')
const withNull = Buffer.from('a\0b')
const willFlags = 0xc6

/** A CONNECT with one property, in version 5. */
const withProperty = (property: string) => (device: Parameters<typeof connect>[1], version: 4 | 5) =>
  connect(version, device, { properties: property })
const protocolErrorConnect = { 4: 'closed', 5: 'CONNACK 0x82, closed' }

// biome-ignore format: one row per line, as a table
export const connectRows = [
  first({ 4: '3.1.4-4', 5: '3.1.4-5' }, 'a CONNECT', (d, v) => connect(v, d), accepted),
  first({ 4: '3.2.0-1', 5: '3.2.0-1' }, 'a PUBLISH sent with the CONNECT is acknowledged after the CONNACK',
    (d, v) => Buffer.concat([connect(v, d), publish(v, d)]),
    { 4: 'CONNACK 0x00, PUBACK 7, open', 5: 'CONNACK 0x00, PUBACK 7 0x00, open' }),
  first({ 4: '3.1.0-1', 5: '3.1.0-1' }, 'the first packet is a PINGREQ', () => hex('c0 00'), { 4: 'closed', 5: 'closed' }),
  first({ 4: '3.1.0-1', 5: '3.1.0-1' }, 'the first packet is a PUBLISH', (d, v) => publish(v, d), { 4: 'closed', 5: 'closed' }),
  first({ 5: '3.1.0-1' }, 'the first packet is an AUTH', () => hex('f0 00'), { 5: 'closed' }),
  then({ 4: '3.1.0-2', 5: '3.1.0-2' }, 'a second CONNECT', (d, v) => connect(v, d), protocolError),
  first({ 4: '3.1.2-1', 5: '3.1.2-1' }, 'another protocol name', (d, v) => connect(v, d, { name: 'MQTX' }), { 4: 'closed', 5: 'closed' }),
  first({ 4: '3.1.2-1', 5: '3.1.2-1' }, 'the protocol name in small letters', (d, v) => connect(v, d, { name: 'mqtt' }), { 4: 'closed', 5: 'closed' }),
  first({ 4: '3.1.2-2', 5: '3.1.2-2' }, 'a version that does not exist', (d, v) => connect(v, d, { level: 6 }),
    { 4: 'CONNACK 0x01, closed', 5: 'CONNACK 0x01, closed' }),
  first({ 4: '3.1.2-2' }, 'MQTT 3.1', (d, v) => connect(v, d, { name: 'MQIsdp', level: 3 }), { 4: 'CONNACK 0x01, closed' },
    { mosquitto: { 4: 'open' } }),
  first({ 4: '3.1.2-2' }, 'the private version of a bridge', (d, v) => connect(v, d, { level: 0x84 }), { 4: 'CONNACK 0x01, closed' },
    { mosquitto: { 4: 'open' } }),
  first({ 4: '3.1.2-3', 5: '3.1.2-3' }, 'the reserved flag', (d, v) => connect(v, d, { flags: 0xc3 }), malformedConnect),
  first({ 4: '3.1.2-6', 5: '3.1.2-4' }, 'clean: there is never a session', (d, v) => connect(v, d, { flags: 0xc2 }), accepted),
  first({ 4: '3.1.2-4', 5: '3.1.2-6' }, 'not clean: a new session, which ends with the connection', (d, v) => connect(v, d, { flags: 0xc0 }), accepted),
  first({ 4: '3.2.2-3', 5: '3.2.2-3' }, 'not clean: no session is present', (d, v) => connect(v, d, { flags: 0xc0 }), accepted),
  first({ 4: '3.2.2-1', 5: '3.2.2-2' }, 'clean: no session is present', (d, v) => connect(v, d), accepted),

  // The will.
  first({ 4: '3.1.2-9', 5: '3.1.2-9' }, 'a will', (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d) }), accepted),
  first({ 4: '3.1.2-9', 5: '3.1.2-9' }, 'the will flag without a will', (d, v) => connect(v, d, { flags: willFlags }), malformedConnect),
  first({ 4: '3.1.2-11', 5: '3.1.4-1' }, 'a will without its flag', (d, v) => connect(v, d, { payload: withWill(v, d) }), malformedConnect),
  first({ 4: '3.1.2-13', 5: '3.1.2-11' }, 'the QoS of a will without a will', (d, v) => connect(v, d, { flags: 0xca }), malformedConnect),
  first({ 4: '3.1.2-15', 5: '3.1.2-13' }, 'the retain of a will without a will', (d, v) => connect(v, d, { flags: 0xe2 }), malformedConnect),
  first({ 4: '3.1.2-14', 5: '3.1.2-12' }, 'a will of QoS 3', (d, v) => connect(v, d, { flags: 0xde, payload: withWill(v, d) }), malformedConnect),
  first({ 4: '3.1.2-14', 5: '3.1.2-12' }, 'a will of QoS 1', (d, v) => connect(v, d, { flags: 0xce, payload: withWill(v, d) }), accepted),
  first({ 5: '3.2.2-12' }, 'a will of QoS 2, which is beyond the maximum QoS', (d, v) => connect(v, d, { flags: 0xd6, payload: withWill(v, d) }),
    { 5: 'CONNACK 0x9b, closed' }, { ours: true }),
  first({ 5: '3.2.2-13' }, 'a retained will', (d, v) => connect(v, d, { flags: 0xe6, payload: withWill(v, d) }), { 5: 'CONNACK 0x9a, closed' }, { ours: true }),
  first({ 4: '3.1.3-10', 5: '3.1.3-11' }, 'a will topic that is no UTF-8',
    (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d, { topic: invalidUtf8 }) }), malformedConnect),
  first({ 5: '3.1.3-9' }, 'a will delay: the session ends with the connection, so the will is not delayed',
    (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d, { willProperties: '18 0000000a' }) }), accepted),
  first({ 5: '3.1.4-1' }, 'a will property of another packet',
    (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d, { willProperties: '21 0001' }) }), malformedConnect),
  first({ 5: '3.1.4-1' }, 'two will delays',
    (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d, { willProperties: '18 00000001 18 00000001' }) }), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'a payload format of a will that is 2',
    (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d, { willProperties: '01 02' }) }), protocolErrorConnect,
    { mosquitto: { 5: 'open' } }),

  // User name and password.
  first({ 4: '3.1.2-18', 5: '3.1.2-16' }, 'a user name without its flag', (d, v) => connect(v, d, { flags: 0x02 }), malformedConnect),
  first({ 4: '3.1.2-19', 5: '3.1.2-17' }, 'the flag of a user name without one', (d, v) => connect(v, d, { flags: 0x82, payload: [text(d.id)] }), malformedConnect),
  first({ 4: '3.1.2-20', 5: '3.1.2-18' }, 'a password without its flag', (d, v) => connect(v, d, { flags: 0x82 }), malformedConnect),
  first({ 4: '3.1.2-21', 5: '3.1.2-19' }, 'the flag of a password without one', (d, v) => connect(v, d, { payload: [text(d.id), text(d.id)] }), malformedConnect),
  first({ 4: '3.1.2-22' }, 'a password without a user name', (d, v) => connect(v, d, { flags: 0x42, payload: [text(d.id), text(d.access_key)] }), { 4: 'closed' }),
  first({ 4: '3.1.3-11', 5: '3.1.3-12' }, 'a user name that is no UTF-8', (d, v) => connect(v, d, { payload: [text(d.id), text(invalidUtf8), text(d.access_key)] }), malformedConnect),

  // The client identifier.
  first({ 4: '3.1.3-3', 5: '3.1.3-3' }, 'no client identifier', (_d, v) => connect(v, _d, { flags: 0x02, payload: [] }), malformedConnect),
  first({ 4: '3.1.3-1', 5: '3.1.3-1' }, 'the fields in another order', (d, v) => connect(v, d, { flags: willFlags, payload: withWill(v, d).toReversed() }),
    { 4: 'CONNACK 0x02, closed', 5: 'CONNACK 0x81, closed' }, { ours: true }),
  first({ 4: '3.1.3-4', 5: '3.1.3-4' }, 'a client identifier that is no UTF-8', (d, v) => connect(v, d, { payload: [text(invalidUtf8), text(d.id), text(d.access_key)] }), malformedConnect),
  first({ 4: '3.1.3-8', 5: '3.1.3-8' }, 'an empty client identifier: this server assigns none', (d, v) => connect(v, d, { flags: 0xc0, payload: [text(''), text(d.id), text(d.access_key)] }),
    { 4: 'CONNACK 0x02, closed', 5: 'CONNACK 0x85, closed' }, { mosquitto: { 5: 'open' } }),
  first({ 4: '3.1.3-9', 5: '3.1.3-8' }, 'a client identifier that is no device', (d, v) => connect(v, d, { payload: [text('sensor1'), text(d.id), text(d.access_key)] }),
    { 4: 'CONNACK 0x02, closed', 5: 'CONNACK 0x85, closed' }, { ours: true }),
  first({ 4: '1.5.3-3', 5: '1.5.4-3' }, 'U+FEFF before the client identifier is part of it', (d, v) => connect(v, d, { payload: [text(`\ufeff${d.id}`), text(d.id), text(d.access_key)] }),
    { 4: 'CONNACK 0x02, closed', 5: 'CONNACK 0x85, closed' }, { ours: true }),
  first({ 4: '1.5.3-1', 5: '1.5.4-1' }, 'a surrogate in the client identifier', (d, v) => connect(v, d, { payload: [text(surrogate), text(d.id), text(d.access_key)] }), malformedConnect),
  first({ 4: '1.5.3-2', 5: '1.5.4-2' }, 'U+0000 in the client identifier', (d, v) => connect(v, d, { payload: [text(withNull), text(d.id), text(d.access_key)] }), malformedConnect),
  first({ 4: '1.5.3-2', 5: '1.5.4-2' }, 'U+0000 in the user name', (d, v) => connect(v, d, { payload: [text(d.id), text(withNull), text(d.access_key)] }), malformedConnect),

  // As a whole.
  first({ 4: '3.1.4-1', 5: '3.1.4-1' }, 'bytes after the payload', (d, v) => connect(v, d, { payload: [text(d.id), text(d.id), text(d.access_key), hex('00')] }), malformedConnect),
  first({ 4: '3.1.4-1', 5: '3.1.4-1' }, 'a CONNECT that ends after its flags', (_d, v) => packet(0x10, text('MQTT'), Buffer.from([v, 0xc2])), malformedConnect),
  first({ 4: '3.1.4-1' }, 'an empty CONNECT', () => hex('10 00'), { 4: 'closed' }),
  first({ 4: '2.2.2-2', 5: '2.1.3-1' }, 'flags in the header of a CONNECT', (d, v) => Buffer.concat([hex('11'), connect(v, d).subarray(1)]), { 4: 'closed', 5: 'closed' }),
  first({ 5: '1.5.5-1' }, 'a length in more bytes than it needs', (d, v) => withLongLength(connect(v, d)), { 5: 'CONNACK 0x81, closed' }, { mosquitto: { 5: 'open' } }),
  first({ 4: '4.8.0-1' }, '3.1.1 does not forbid a length in more bytes than it needs', (d, v) => withLongLength(connect(v, d)), { 4: 'CONNACK 0x00, open' }),
  first({ 4: '4.8.0-1', 5: '4.13.1-1' }, 'a length of five bytes', () => hex('10 ff ff ff ff 01'), { 4: 'closed', 5: 'closed' }),
  first({ 4: '4.8.0-1', 5: '4.13.1-1' }, 'a CONNECT of more than 16 KiB', () => hex('10 81 80 01'), { 4: 'closed', 5: 'closed' }, { ours: true }),
  first({ 4: '4.8.0-1', 5: '4.13.1-1' }, 'no MQTT at all', () => Buffer.from('GET / HTTP/1.1\r\n\r\n'), { 4: 'closed', 5: 'closed' }),
  first({ 4: '3.1.4-5', 5: '3.1.4-6' }, 'what follows a refused CONNECT is not handled', (d, v) => Buffer.concat([connect(v, { ...d, access_key: 'wrong' }), publish(v, d)]),
    { 4: 'CONNACK 0x04, closed', 5: 'CONNACK 0x86, closed' }, { ours: true }),
  first({ 4: '3.2.2-5', 5: '3.2.2-7' }, 'a refused CONNECT is closed', (d, v) => connect(v, { ...d, access_key: 'wrong' }), { 4: 'CONNACK 0x04, closed', 5: 'CONNACK 0x86, closed' }, { ours: true }),
  first({ 4: '3.2.2-4', 5: '3.2.2-6' }, 'a refused CONNECT has no session', (d, v) => connect(v, { ...d, access_key: 'wrong' }, { flags: 0xc0 }), { 4: 'CONNACK 0x04, closed', 5: 'CONNACK 0x86, closed' }, { ours: true }),
  first({ 5: '3.1.4-2' }, 'a wrong access key', (d, v) => connect(v, { ...d, access_key: 'wrong' }), { 5: 'CONNACK 0x86, closed' }, { ours: true }),

  // Properties.
  first({ 5: '2.2.2-1' }, 'no property length', (d, v) => packet(0x10, text('MQTT'), Buffer.from([v, 0xc2]), uint16(60), text(d.id), text(d.id), text(d.access_key)), malformedConnect),
  first({ 5: '3.1.4-1' }, 'a property length beyond the packet', (_d, v) => packet(0x10, text('MQTT'), Buffer.from([v, 0xc2]), uint16(60), hex('ff 7f')), malformedConnect),
  first({ 5: '1.5.5-1' }, 'a property length in more bytes than it needs', (d, v) => packet(0x10, text('MQTT'), Buffer.from([v, 0xc2]), uint16(60), hex('80 00'), text(d.id), text(d.id), text(d.access_key)), malformedConnect),
  first({ 5: '3.1.4-1' }, 'a property that does not exist', withProperty('7f 00'), malformedConnect),
  first({ 5: '3.1.4-1' }, 'a property of PUBLISH (topic alias)', withProperty('23 0001'), malformedConnect),
  first({ 5: '3.1.4-1' }, 'a property of CONNACK (maximum QoS)', withProperty('24 01'), malformedConnect),
  first({ 5: '3.1.4-1' }, 'a property that is cut off', withProperty('11 0000'), malformedConnect),
  first({ 5: '3.1.4-1' }, 'two session expiry intervals', withProperty('11 00000000 11 00000000'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two receive maximums', withProperty('21 0001 21 0001'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'a receive maximum of 0', withProperty('21 0000'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two maximum packet sizes', withProperty('27 00001000 27 00001000'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'a maximum packet size of 0', withProperty('27 00000000'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two topic alias maximums', withProperty('22 0001 22 0001'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'request problem information of 2', withProperty('17 02'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two of request problem information', withProperty('17 01 17 01'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'request response information of 2', withProperty('19 02'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two of request response information', withProperty('19 00 19 00'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'two authentication methods', withProperty('15 0001 61 15 0001 61'), protocolErrorConnect),
  first({ 5: '3.1.4-1' }, 'authentication data without a method', withProperty('16 0001 61'), protocolErrorConnect, { mosquitto: { 5: 'open' } }),
  first({ 5: '1.5.4-1' }, 'an authentication method that is no UTF-8', withProperty('15 0001 ff'), malformedConnect),
  first({ 5: '1.5.7-1' }, 'a user property that is no UTF-8', withProperty('26 0001 61 0001 ff'), malformedConnect),
  first({ 5: '1.5.7-1' }, 'the name of a user property with U+0000', withProperty('26 0001 00 0001 61'), malformedConnect),
  first({ 5: '3.1.3-2' }, 'user properties, also twice', withProperty('26 0001 61 0001 62 26 0001 61 0001 62'), accepted),
  first({ 5: '4.12.0-1' }, 'an authentication method', withProperty('15 0005 5343524144'), { 5: 'CONNACK 0x8c, closed' }),
  first({ 5: '3.1.2-28' }, 'response information is not requested, and not sent', withProperty('19 00'), { 5: 'CONNACK 0x00 responseInformation=undefined, open' }, { ours: true, showProperties: ['responseInformation'] }),
  first({ 5: '3.2.2-22' }, 'the keep-alive of the client is used: the server sends none', (d, v) => connect(v, d, { keepAlive: 65_535 }), { 5: 'CONNACK 0x00 serverKeepAlive=undefined, open' }, { ours: true, showProperties: ['serverKeepAlive'] }),
  first({ 5: '3.2.2-9' }, 'the maximum QoS is sent', (d, v) => connect(v, d), { 5: 'CONNACK 0x00 maximumQoS=1, open' }, { ours: true, showProperties: ['maximumQoS'] }),
  first({ 5: '3.1.2-23' }, 'a session expiry interval: the server says that the session ends with the connection', withProperty('11 00000e10'), { 5: 'CONNACK 0x00 sessionExpiryInterval=0, open' }, { ours: true, showProperties: ['sessionExpiryInterval'] }),
  first({ 5: '4.12.0-6' }, 'without an authentication method the CONNACK has none', (d, v) => connect(v, d), { 5: 'CONNACK 0x00 authenticationMethod=undefined, open' }, { ours: true, showProperties: ['authenticationMethod'] }),

  // The client's maximum packet size.
  first({ 5: '3.1.2-24' }, 'a maximum packet size that our CONNACK exceeds', withProperty('27 0000001f'), { 5: 'CONNACK 0x95, closed' }, { ours: true }),
  first({ 5: '3.1.2-24' }, 'a maximum packet size that no CONNACK fits in: nothing is sent', withProperty('27 00000004'), { 5: 'closed' }, { ours: true }),
  first({ 5: '3.2.2-19' }, 'a refused CONNECT has its reason', (d, v) => connect(v, { ...d, access_key: 'wrong' }), { 5: 'CONNACK 0x86 with reason, closed' }, { ours: true, showReasons: true }),
  first({ 5: '3.2.2-19' }, 'a refused CONNECT whose reason would exceed the maximum packet size', (d, v) => connect(v, { ...d, access_key: 'wrong' }, { properties: '27 00000028' }), { 5: 'CONNACK 0x86, closed' }, { ours: true, showReasons: true }),
]
