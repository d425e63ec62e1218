// What is refused below the framework, over real sockets, on every HTTP listener.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { startHarness } from '../../../../test/support/harness.ts'
import { buildPinnedApp } from '../../build-app.ts'
import { createCertificate } from '../tls/self-signed-certificate.ts'

const service = await startHarness()
const pinned = await buildPinnedApp(service.context, await createCertificate([], new Date()))
after(() => pinned.close())
await service.app.listen({ host: '127.0.0.1', port: 0 })
await pinned.listen({ host: '127.0.0.1', port: 0 })
const portOf = ({ server }: typeof pinned) => (server.address() as AddressInfo).port

const listeners: Record<string, () => Socket> = {
  HTTP: () => connect(portOf(service.app), '127.0.0.1'),
  'HTTPS with the static certificate': () =>
    connectTls({ port: portOf(pinned), host: '127.0.0.1', rejectUnauthorized: false }),
}

/** Each is refused, since two readers may find two hosts in it. */
const hosts = [
  ['x', 'y'],
  ['x', 'x'],
  ['localhost:1@evil.example'],
  ['a b'],
  ['x/y'],
  ['x?y'],
  ['x:port'],
  ['[::1'],
  ['é.example'],
  [''],
]

/** Sends the text, and then its rest a byte at a time; returns everything that came back until the connection closed. */
async function say(openConnection: () => Socket, text: string, rest = ''): Promise<{ head: string; body: string }> {
  const [head = '', body = ''] = (await hear(openConnection, text, rest)).split('\r\n\r\n')
  return { head, body }
}

async function hear(openConnection: () => Socket, text: string, rest = ''): Promise<string> {
  const socket = openConnection()
  socket.on('error', () => {})
  let received = ''
  socket.setEncoding('utf8').on('data', (part) => {
    received += part
  })
  socket.write(text)
  const dripping = setInterval(() => socket.write(rest), 500)
  if (rest === '') clearInterval(dripping)
  await once(socket, 'close')
  clearInterval(dripping)
  return received
}

for (const [name, openConnection] of Object.entries(listeners)) {
  describe(`decision 8.4: ${name}: refusals below the framework have our form`, { concurrency: true }, () => {
    const cases: [title: string, text: string, status: number, code: string][] = [
      ['no HTTP at all', 'nonsense\r\n\r\n', 400, 'malformed_request'],
      ['an unknown method', 'NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
      ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400, 'malformed_request'],
      [
        'two lengths',
        'POST /v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        400,
        'malformed_request',
      ],
      ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
      ...hosts.map((lines): [string, string, number, string] => [
        `Host: ${lines.join(' and ')}`,
        `GET /healthz HTTP/1.1\r\n${lines.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`,
        400,
        'malformed_request',
      ]),
      ['headers of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_480)}\r\n\r\n`, 431, 'headers_too_large'],
      ['an address of 20 KiB', `GET /${'a'.repeat(20_480)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
      ['an unknown Expect', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: cake\r\n\r\n', 417, 'expectation_failed'],
    ]
    it('a body that is too large, of a caller that sends it to its end → 413, and the connection goes on', async () => {
      const body = 'x'.repeat(9 * 1024 * 1024)
      const large = `POST /v1/devices/telemetry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const { head, body: rest } = await say(openConnection, large + next)
      assert.match(head, /^HTTP\/1.1 413 /)
      assert.match(rest, /^\{"error":"[^"]+","code":"too_large"\}HTTP\/1.1 (200|404) /)
    })

    for (const [title, text, status, code] of cases) {
      it(`${title} → ${status} ${code}`, async () => {
        const { head, body } = await say(openConnection, text)
        assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
        assert.match(head, /content-type: application\/json; charset=utf-8/i)
        assert.match(head, /cache-control: no-store/i)
        const { code: sent, error, ...more } = JSON.parse(body)
        assert.deepEqual([sent, typeof error, more], [code, 'string', {}])
      })
    }

    it('slow loris: headers that arrive byte by byte → 408 within 15 s', async () => {
      const began = performance.now()
      const { head, body } = await say(openConnection, 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: ', 'a')
      assert.match(head, /^HTTP\/1.1 408 /)
      assert.equal(JSON.parse(body).code, 'request_timeout')
      assert.ok(performance.now() - began < 15_000)
    })

    it('a connection that sends nothing is closed within 15 s', async () => {
      const began = performance.now()
      await say(openConnection, '')
      assert.ok(performance.now() - began < 15_000)
    })
  })
}

describe('a body that is refused before it was read, of a caller that sends it to its end: the response arrives', () => {
  const form = 'application/x-www-form-urlencoded'
  const cases: [path: string, type: string, status: number][] = [
    ['/sign-in', form, 413],
    ['/sign-in', 'multipart/form-data; boundary=x', 400],
    ['/consent', 'multipart/form-data; boundary=x', 400],
    ['/oauth/authorize', 'multipart/form-data; boundary=x', 400],
    ['/oauth/token', form, 413],
    ['/oauth/token', 'multipart/form-data; boundary=x', 400],
    ['/oauth/revoke', 'text/plain', 400],
    ['/v1/devices', 'application/json', 413],
    ['/v1/devices', 'text/plain', 415],
  ]
  for (const [path, type, status] of cases) {
    it(`POST ${path} as ${type} → ${status}, and the connection goes on`, async () => {
      const body = 'x'.repeat(9 * 1024 * 1024)
      const head = `POST ${path} HTTP/1.1\r\nHost: landbridge.test\r\nOrigin: http://landbridge.test\r\n`
      const large = `${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const received = await hear(listeners.HTTP!, large + next)
      assert.deepEqual(
        [...received.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, sent]) => Number(sent)),
        [status, 200],
      )
    })
  }
})
