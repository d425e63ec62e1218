import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import type { App } from './app.ts'
import { etagOf, requireMatch, sendEtags } from './etag.ts'

const current = { name: 'Acme' }

describe('decision 8.7: ETag', () => {
  it('is a strong one that changes with what it is of', () => {
    assert.match(etagOf(current), /^"[\w-]{22}"$/)
    assert.equal(etagOf(current), etagOf({ ...current }))
    assert.notEqual(etagOf(current), etagOf({ name: 'acme' }))
  })

  for (const ifMatch of [undefined, '*', ' * ', etagOf(current), `"other", ${etagOf(current)} `]) {
    it(`If-Match: ${ifMatch} passes`, () => requireMatch(ifMatch, current))
  }
  for (const ifMatch of ['', '"other"', etagOf({}), `W/${etagOf(current)}`]) {
    it(`If-Match: ${ifMatch} is refused`, () => {
      const message = /Someone else has changed this/
      assert.throws(() => requireMatch(ifMatch, current), { status: 412, code: 'changed_meanwhile', message })
    })
  }
})

describe('decision 8.7: which responses have an ETag', () => {
  const app = fastify()
  sendEtags(app as unknown as App)
  app.route({ method: ['GET', 'PATCH', 'PUT', 'POST'], url: '/one', handler: async () => current })
  app.get('/list', async () => ({ items: [] }))
  app.get('/null', async () => null)
  app.get('/own', async (_, reply) => reply.header('etag', '"own"').send(current))
  app.get('/created', async (_, reply) => reply.status(201).send(current))

  for (const [method, url, expected] of [
    ['GET', '/one', etagOf(current)],
    ['PATCH', '/one', etagOf(current)],
    ['PUT', '/one', etagOf(current)],
    ['POST', '/one', undefined],
    ['GET', '/list', undefined],
    ['GET', '/null', undefined],
    ['GET', '/own', '"own"'],
    ['GET', '/created', undefined],
  ] as const) {
    it(`${method} ${url}: ${expected}`, async () => {
      const { headers, statusCode } = await app.inject({ method, url })
      assert.ok(statusCode < 300)
      assert.equal(headers.etag, expected)
    })
  }
})
