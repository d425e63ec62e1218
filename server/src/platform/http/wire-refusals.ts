import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusalBody } from './refusals.ts'

interface WireRefusal {
  status: number
  body: RefusalBody
}

const refuse = (status: number, code: string, error: string): WireRefusal => ({ status, body: { error, code } })

const malformed = refuse(400, 'malformed_request', 'The request is not well-formed HTTP/1.1.')

/** What Node's parser refuses before there is a request object. */
const refusals: Record<string, WireRefusal> = {
  HPE_HEADER_OVERFLOW: refuse(431, 'headers_too_large', 'The address and headers may have at most 16 KiB together.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refuse(413, 'too_large', 'The extensions of a chunk are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: refuse(408, 'request_timeout', 'The request did not arrive in time.'),
}

/** Refuses in the form of every other refusal instead of the framework's own. */
export function refuseOnWire(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = '' } = error
  if (code === 'ECONNRESET' || socket.destroyed) return
  const refusal = refusals[code] ?? (code.startsWith('HPE_') ? malformed : null)
  // An error of TLS: nothing can be sent any more, and the end of what is written would be waited for in vain.
  if (refusal === null || !socket.writable) return void socket.destroy()
  const { status, body } = refusal
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headersOf(text)).map((pair) => pair.join(': ')),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

/** Node itself responds to an unknown `Expect` with an empty 417. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const text = JSON.stringify({ error: 'Expect may only be 100-continue.', code: 'expectation_failed' })
  response.writeHead(417, headersOf(text)).end(text)
}

function headersOf(text: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
}
