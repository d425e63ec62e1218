import type { DataPointValue, DeviceStatus } from './generated-types.ts'

/** What happened to a device of the organization. */
export type DeviceEvent =
  | {
      type: 'state'
      device_id: string
      status: DeviceStatus
      last_seen_at: string | null
      /** The latest value of every data point. */
      state: { [key: string]: DataPointValue }
    }
  | { type: 'status'; device_id: string; status: DeviceStatus; status_at: string }
  /** It is no longer this organization's. */
  | { type: 'removed'; device_id: string }

const types = ['state', 'status', 'removed']

/** Reads server-sent events from text that comes in pieces. */
export class DeviceEventReader {
  readonly #onEvent: (event: DeviceEvent) => void
  #rest = ''
  /** Where a new stream resumes. */
  lastEventId: string | null = null

  constructor(onEvent: (event: DeviceEvent) => void) {
    this.#onEvent = onEvent
  }

  /** A new stream begins: what the last one left unfinished will come again. */
  restart(): void {
    this.#rest = ''
  }

  read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop()!
    for (const block of blocks) this.#readBlock(block)
  }

  #readBlock(block: string): void {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (name !== undefined) fields.set(name, value!)
    }
    const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')]
    // Events that a later version of the service adds are not for this one.
    if (data !== undefined && types.includes(type ?? '')) this.#onEvent({ type, ...JSON.parse(data) })
    if (id !== undefined) this.lastEventId = id
  }
}
