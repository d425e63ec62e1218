import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Service } from './service.ts'

const ended = 'The service does not run: the terminal of `npm run dev` says why. Saving a file of it starts it again.\n'

/** As it is, Host included: the service compares it with Origin. A request during a restart waits for its end. */
export async function passOn(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const port = await service.port()
  if (port === null) {
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' }).end(ended)
    return
  }
  const { method, url, headers } = request
  // A connection of its own: a kept one may lead to the process that was just replaced.
  const passed = send({ host: '127.0.0.1', port, method, path: url, headers, agent: false })
  response.on('close', () => passed.destroy())
  passed.on('response', (incoming) => {
    response.writeHead(incoming.statusCode!, incoming.statusMessage, incoming.rawHeaders)
    pipeline(incoming, response).catch(() => response.destroy())
  })
  // It ended half-way, as when it is restarted.
  passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end(ended)))
  pipeline(request, passed).catch(() => {})
}
