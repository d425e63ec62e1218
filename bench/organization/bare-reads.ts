// What Fastify alone can do: a route that returns the same bytes, with no authentication and no database.
import fastify from 'fastify'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'

const [body, path = '/core/v1/organization/users'] = process.argv.slice(2)
const app = fastify({ logger: false })
app.get(path, async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body))
await app.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting })
process.send!({ port: (app.server.address() as { port: number }).port })
process.on('disconnect', () => process.exit(0))
