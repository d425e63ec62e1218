// Node's own HTTP server: a request with `wait` is held, any other gets its response at once.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  if (request.url.endsWith('wait=0')) response.end()
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
