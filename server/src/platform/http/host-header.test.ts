import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { hostProblem } from './host-header.ts'

/** What the check reads of a request. */
function request(
  rawHeaders: string[],
  { httpVersion = '1.1', forwarded }: { httpVersion?: string; forwarded?: string } = {},
) {
  const sent = rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'host') + 1]
  const headers = { host: sent, ...(forwarded === undefined ? {} : { 'x-forwarded-host': forwarded }) }
  return { headers, raw: { rawHeaders, httpVersion }, host: forwarded ?? sent } as unknown as FastifyRequest
}

describe('RFC 9112 3.2: the Host header', () => {
  for (const host of [
    'id.example',
    'ID.example:8443',
    'a_b.local',
    '127.0.0.1:1',
    '[::1]:65535',
    '[2001:DB8::1]',
    'a'.repeat(253),
  ]) {
    it(`${host.slice(0, 40)} is one`, () => assert.equal(hostProblem(request(['Host', host])), null))
  }

  for (const host of [
    '',
    'user@id.example',
    'id.example/',
    'id.example:123456',
    'id.example:',
    '[::1',
    '[:]',
    'a b',
    'a'.repeat(254),
  ]) {
    it(`${host.slice(0, 40)} is none`, () => {
      const message = 'The Host header must be a host name or address, with or without a port.'
      const { status, code, message: sentence } = hostProblem(request(['Host', host]))!
      assert.deepEqual([status, code, sentence], [400, 'malformed_request', message])
    })
  }

  it('there is one, whatever its case and the headers beside it', () => {
    assert.equal(hostProblem(request(['Accept', 'host', 'hOST', 'id.example', 'xost', 'host'])), null)
    for (const headers of [[], ['Host', 'a.example', 'host', 'a.example'], ['Accept', 'host']]) {
      assert.match(hostProblem(request(headers))!.message, /needs one Host header/)
    }
  })

  it('HTTP/1.0 needs none, but must not have two', () => {
    assert.equal(hostProblem(request([], { httpVersion: '1.0' })), null)
    assert.equal(hostProblem(request(['Host', 'a', 'Host', 'b'], { httpVersion: '1.0' }))?.status, 400)
  })

  it('what a proxy says must be as well-formed', () => {
    assert.equal(hostProblem(request(['Host', 'inside'], { forwarded: 'id.example' })), null)
    assert.equal(hostProblem(request(['Host', 'inside'], { forwarded: 'a@id.example' }))?.status, 400)
    assert.equal(hostProblem(request(['Host', 'in@side'], { forwarded: 'id.example' }))?.status, 400)
  })
})
