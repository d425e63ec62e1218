// Calls over the wire, each from another address, since the limits are on. None is ever repeated by itself.
import { Agent, request } from 'node:http'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service returned
  body: any
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  headers?: Record<string, string>
  json?: object
  form?: Record<string, string>
}

/** The host that every process is addressed by: it is in sessions, origins and redirects. */
export const host = 'localhost:9'
export const origin = `http://${host}`

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
/** Longer than any fault lasts. */
const giveUpMilliseconds = 12_000
let address = 0

function nextAddress(): string {
  address += 1
  return `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`
}

/** Null: nobody knows what came of it. */
export async function ask(
  port: number,
  { method = 'GET', path, headers = {}, json, form }: Ask,
): Promise<Reply | null> {
  const payload = json ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : undefined
  const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
  const sent = {
    host,
    'x-forwarded-for': nextAddress(),
    ...(payload === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(payload)) }),
    ...headers,
  }
  return await new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, agent, method, path, headers: sent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(null))
      response.on('close', () => resolve(null))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const { statusCode = 0, headers } = response
        resolve(response.complete ? { status: statusCode, headers, body: parse(text) } : null)
      })
    })
    call.setTimeout(giveUpMilliseconds, () => call.destroy())
    call.on('error', () => resolve(null))
    call.end(payload)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
