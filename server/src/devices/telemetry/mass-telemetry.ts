import { massLimits } from '../../platform/own-limits.ts'
import { type Detail, invalid } from '../../platform/refusal.ts'
import { type HubAddress, redirectDevice } from '../cells/redirect.ts'
import type { Context } from '../context.ts'
import {
  type IncomingMessage,
  ingestAll,
  keyDigest,
  type Outcome,
  outcomes,
  type Unavailable,
  whyUnavailable,
} from './ingest.ts'
import type { Moved } from './outcome.ts'

export type MassResult = { id: string | null } & (Outcome | Moved)

/** Decision 7.8: one result per device, in the same order, or why the whole call has to be sent again. */
export async function ingestMany(
  context: Context,
  body: unknown,
  options: { large: boolean; address: HubAddress },
): Promise<MassResult[] | Unavailable> {
  const devices = readDevices(body)
  const messages = devices.map(readEntry)
  const moved = context.config.cell === null ? [] : await redirectAll(context, messages, options.address)
  if (moved.some((outcome) => outcome?.status === 503)) return outcomes.overloaded
  const own = messages.filter((_, index) => !moved[index])
  const stored = own.length === 0 ? [] : await ingestAll(context, own, envelope, options)
  if (stored === null) return whyUnavailable(context) ?? outcomes.overloaded
  const rest = stored.values()
  const all = messages.map((_, index) => moved[index] ?? rest.next().value!)
  return (
    unavailableForAll(all) ??
    all.map((outcome, index) => {
      const id = idOf(devices[index])
      return { id, ...outcome }
    })
  )
}

/** When every message has the same reason, it is that of the call. */
function unavailableForAll(all: (Outcome | Moved)[]): Unavailable | null {
  const [first] = all
  if (first?.status !== 503) return null
  return all.every((outcome) => outcome.status === 503 && outcome.code === first.code) ? first : null
}

/** The outcomes of those that another cell serves. */
async function redirectAll(
  context: Context,
  messages: (IncomingMessage | Detail[])[],
  address: HubAddress,
): Promise<(Outcome | Moved | null)[]> {
  return await Promise.all(
    messages.map((message) => {
      if (Array.isArray(message) || !context.cells.probablyElsewhere(message.device_id)) return null
      return redirectDevice(context, message, address)
    }),
  )
}

function readDevices(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ field: 'body', message: 'must be an object with devices' })
  }
  for (const field in body) {
    if (field !== 'devices') throw invalid({ field, message: 'is not a known field' })
  }
  const { devices } = body as Record<string, unknown>
  if (!Array.isArray(devices) || devices.length < 1 || devices.length > massLimits.devices) {
    throw invalid({ field: 'devices', message: 'must be a list of 1 to 1,000 devices' })
  }
  return devices as unknown[]
}

/** The fields of an entry that are not part of its message. */
const envelope: ReadonlySet<string> = new Set(['id', 'access_key'])

function readEntry(device: unknown): IncomingMessage | Detail[] {
  const { id, access_key } = (device ?? {}) as Record<string, unknown>
  if (typeof id === 'string' && typeof access_key === 'string') {
    return { device_id: id, key_digest: keyDigest(access_key), body: device }
  }
  const details: Detail[] = []
  if (typeof id !== 'string') details.push({ field: 'id', message: 'is required: the device id, as text' })
  if (typeof access_key !== 'string') details.push({ field: 'access_key', message: 'is required, as text' })
  return details
}

function idOf(device: unknown): string | null {
  const { id } = (device ?? {}) as Record<string, unknown>
  return typeof id === 'string' ? id : null
}
