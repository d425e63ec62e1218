import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Handler } from './handlers.ts'

/** What Express adds to Node's request. */
type NodeRequest = IncomingMessage & { originalUrl?: string; body?: unknown; protocol?: string }

/** Takes a request and response of Express or of node:http. Use it before any parser of bodies: a signature is of the bytes. */
export function expressHandler(
  handler: Handler,
): (request: NodeRequest, response: ServerResponse, next?: (error: unknown) => void) => void {
  return (request, response, next) => {
    respond(handler, request, response).catch((error: unknown) => {
      if (next) next(error)
      else response.destroy(error as Error)
    })
  }
}

interface FastifyRequest {
  raw: IncomingMessage
  protocol: string
  host?: string
  body?: unknown
}

interface FastifyReply {
  hijack(): void
  raw: ServerResponse
}

/** Takes a request and reply of Fastify. In the scope of a webhook keep bodies as text: see the README. */
export function fastifyHandler(handler: Handler): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const { body, protocol } = request
    const result = await resultOf(handler, Object.assign(request.raw, { body, protocol }), reply.raw)
    // Not before: what fails until here is for Fastify to respond to.
    reply.hijack()
    write(reply.raw, result)
  }
}

async function respond(handler: Handler, request: NodeRequest, response: ServerResponse): Promise<void> {
  write(response, await resultOf(handler, request, response))
}

interface Result {
  status: number
  headers: Headers
  body: Buffer
}

async function resultOf(handler: Handler, request: NodeRequest, response: ServerResponse): Promise<Result> {
  const ended = new AbortController()
  response.once('close', () => ended.abort())
  const result = await handler(await toRequest(request, ended.signal))
  return { status: result.status, headers: result.headers, body: Buffer.from(await result.arrayBuffer()) }
}

function write(response: ServerResponse, { status, headers, body }: Result): void {
  for (const [name, value] of headers) if (name !== 'set-cookie') response.setHeader(name, value)
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.statusCode = status
  response.end(body)
}

async function toRequest(request: NodeRequest, signal: AbortSignal): Promise<Request> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has the parts of the address among the headers.
    if (!name.startsWith(':')) for (const each of [value ?? []].flat()) headers.append(name, each)
  }
  const { method = 'GET' } = request
  const body = method === 'GET' || method === 'HEAD' ? null : await bytesOf(request)
  return new Request(addressOf(request), { method, headers, body, signal })
}

/** The host is what the caller says it is, and never part of what the path says. */
function addressOf({ originalUrl, url, protocol = 'http', headers }: NodeRequest): URL {
  const host = String(headers.host ?? headers[':authority'] ?? 'localhost')
  const path = (originalUrl ?? url ?? '/').replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const base = `${protocol}://${host}`
  const address = new URL(URL.canParse(base) ? base : 'http://localhost')
  const [pathname = '/', ...query] = path.split('?')
  address.pathname = pathname
  address.search = query.join('?')
  return address
}

async function bytesOf(request: NodeRequest): Promise<string | Uint8Array<ArrayBuffer>> {
  const { body } = request
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (body !== undefined && body !== null && Object.keys(body).length > 0) {
    throw new Error(
      'The body was parsed before it came here: a signature is of the bytes. Mount this before the parser.',
    )
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > 1_000_000) throw new Error('The body has more than 1 MB.')
  }
  return new Uint8Array(Buffer.concat(chunks))
}
