import { NetworkError } from './errors.ts'
import type { DataPointValue, DeviceReason, DeviceStatus } from './generated-types.ts'

/** What happens to a device of an organization, as it happens. */
export type DeviceEvent =
  /** A message came: everything that is known of the device now. */
  | {
      type: 'state'
      device_id: string
      status: DeviceStatus
      last_seen_at: string | null
      state: Record<string, DataPointValue>
    }
  | { type: 'status'; device_id: string; status: DeviceStatus; status_at: string; reason: DeviceReason | null }
  /** It is no longer of this organization. */
  | { type: 'removed'; device_id: string }

export interface ServerSentEvent {
  id: string | undefined
  type: string
  data: string
}

/** Reads server-sent events until the stream ends. One that is silent for `silentMs` is lost: the service sends something every 10 s. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silentMs: number,
  signal?: AbortSignal,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => {})
  signal?.addEventListener('abort', cancel, { once: true })
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await within(silentMs, reader.read())
      signal?.throwIfAborted()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const event = eventIn(block)
        if (event) yield event
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

/** Null for a comment, which only keeps the connection alive. */
function eventIn(block: string): ServerSentEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name) fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value!)
  }
  const data = fields.get('data')
  return data === undefined ? null : { id: fields.get('id'), type: fields.get('event') ?? 'message', data }
}

async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new NetworkError('timeout', `The stream was silent for ${milliseconds} ms.`)
    timer = setTimeout(() => reject(error), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } catch (cause) {
    if (cause instanceof NetworkError) throw cause
    throw new NetworkError('network_error', 'The stream broke off.', { cause })
  } finally {
    clearTimeout(timer)
  }
}
