import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { createOutgoingAddresses } from './outgoing-address.ts'

const strict = createOutgoingAddresses({ allow: [] })

describe('webhook addresses', () => {
  const refused = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.31.0.1/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[ff02::1]/',
    'http://93.184.216.34/',
    'http://example.com/',
    'ftp://example.com/',
    'https://user:pass@example.com/',
    'https://example.com/#here',
    'nonsense',
  ]
  for (const url of refused) {
    it(`${url} is refused when it is entered`, () => assert.ok(strict.problemOf(url)))
  }

  for (const url of ['https://example.com/hook?x=1', 'https://93.184.216.34/', 'https://[2606:4700::1111]/']) {
    it(`${url} is accepted`, () => assert.equal(strict.problemOf(url), null))
  }

  it('ranges that the operator allows are accepted, also over http, and no others', () => {
    const outgoing = createOutgoingAddresses({ allow: ['127.0.0.1', '10.9.0.0/16'] })
    assert.equal(outgoing.problemOf('http://127.0.0.1:9/'), null)
    assert.equal(outgoing.problemOf('http://localhost:9/'), null)
    assert.equal(outgoing.problemOf('http://[::ffff:127.0.0.1]/'), null)
    assert.equal(outgoing.problemOf('https://10.9.3.4/'), null)
    assert.ok(outgoing.problemOf('https://10.8.3.4/'))
    assert.ok(outgoing.problemOf('https://127.0.0.2/'))
  })

  it('says what is wrong', () => {
    for (const [url, problem] of [
      ['nonsense', 'must be an absolute https address'],
      ['ftp://example.com/', 'must be an absolute https address'],
      ['https://user@example.com/', 'must carry no user name or password'],
      ['https://:pass@example.com/', 'must carry no user name or password'],
      ['https://example.com/#here', 'must have no fragment'],
      ['http://example.com/', 'must be an https address'],
      ['http://93.184.216.34/', 'must be an https address'],
    ] as const)
      assert.equal(strict.problemOf(url), problem)
    for (const url of ['http://127.0.0.1/', 'https://127.0.0.1/', 'http://localhost/'])
      assert.match(strict.problemOf(url)!, /^must not lead to a loopback, private or reserved address/)
    assert.equal(createOutgoingAddresses({ allow: ['10.0.0.0/8'] }).problemOf('http://example.com/'), null)
  })

  it('an address and this machine need no name server', async () => {
    const outgoing = createOutgoingAddresses({ allow: ['127.0.0.1', '::1'], nameServers: ['127.0.0.1:9'] })
    assert.deepEqual(await outgoing.resolve(new URL('http://localhost/')), ['127.0.0.1', '::1'])
    assert.deepEqual(await outgoing.resolve(new URL('http://a.localhost./')), ['127.0.0.1', '::1'])
    assert.deepEqual(await outgoing.resolve(new URL('https://93.184.216.34/')), ['93.184.216.34'])
    assert.deepEqual(await outgoing.resolve(new URL('https://[2606:4700::1111]/')), ['2606:4700::1111'])
    await assert.rejects(
      outgoing.resolve(new URL('https://10.0.0.1/')),
      /^OutgoingAddressRefused|The address must not lead to/,
    )
    await assert.rejects(strict.resolve(new URL('https://localhost/')), /The address must not lead to/)
  })

  it('a name is judged by what it resolves to, every time again', async () => {
    const zone = await startNameServer()
    const outgoing = createOutgoingAddresses({ allow: [], nameServers: [zone.address] })
    const url = new URL('https://hooks.example/')
    zone.resolvesTo = '93.184.216.34'
    assert.deepEqual(await outgoing.resolve(url), ['93.184.216.34'])
    zone.resolvesTo = '169.254.169.254'
    const sentence = 'The name hooks.example could not be resolved to a public address.'
    await assert.rejects(outgoing.resolve(url), { message: sentence })
    // The same as for a private address: what exists inside is not told.
    zone.resolvesTo = null
    await assert.rejects(outgoing.resolve(url), { message: sentence })
    zone.resolvesTo = '93.184.216.34'
    await assert.rejects(outgoing.resolve(new URL('http://hooks.example/')), /must be an https address/)
  })
})

/** A name server with one A record for every name. */
async function startNameServer(): Promise<{ address: string; resolvesTo: string | null }> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  after(() => socket.close())
  const zone = { address: `127.0.0.1:${socket.address().port}`, resolvesTo: null as string | null }
  socket.on('message', (query, peer) => {
    const end = query.indexOf(0, 12) + 5
    const question = query.subarray(12, end)
    const isA = question.readUInt16BE(question.length - 4) === 1
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(zone.resolvesTo ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(isA && zone.resolvesTo ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const record = Buffer.from([
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...(zone.resolvesTo ?? '').split('.').map(Number),
    ])
    socket.send(Buffer.concat([header, question, ...(isA && zone.resolvesTo ? [record] : [])]), peer.port, peer.address)
  })
  return zone
}
