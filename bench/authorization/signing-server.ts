// What is left of a refresh without Postgres, Fastify and every rule: it reads the request, signs on every core and
// responds with as many bytes. Our refreshes cannot be faster than this.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { SigningThreads } from '../../server/src/authorization/keys/signing-threads.ts'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'

const threads = new SigningThreads(availableParallelism())
const { privateKey } =
  process.argv[2] === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
const input = 'x'.repeat(700)
const rest = { access_token: 'x'.repeat(53), token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' }

const server = createServer((request, response) => {
  let form = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    form += chunk
  })
  request.on('end', async () => {
    const refresh_token = new URLSearchParams(form).get('refresh_token')
    const id_token = `${input}.${await threads.sign(privateKey, input)}`
    const body = JSON.stringify({ ...rest, refresh_token, id_token })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting }, () => {
  process.send!({ port: (server.address() as AddressInfo).port })
})
