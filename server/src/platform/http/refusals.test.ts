import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import fastify from 'fastify'
import { Refusal } from '../refusal.ts'
import { writeRefusal } from './refusals.ts'

it('a stream that fails before its first byte is refused as any request, without the headers of what it would have sent', async () => {
  const app = fastify()
  app.setErrorHandler(writeRefusal)
  app.get('/export', (_request, reply) => {
    const stream = new Readable({ read: () => stream.destroy(new Refusal(422, 'too_large', 'Too much.')) })
    return reply.type('text/csv').header('content-disposition', 'attachment').send(stream)
  })
  const response = await app.inject('/export')
  assert.deepEqual([response.statusCode, response.json()], [422, { error: 'Too much.', code: 'too_large' }])
  assert.match(String(response.headers['content-type']), /^application\/json/)
  assert.equal(response.headers['content-disposition'], undefined)
})
