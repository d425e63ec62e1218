import { PassThrough } from 'node:stream'
import type { Context as DevicesContext } from '../../devices/context.ts'
import { changesSince, type LiveEvent, type PlacedEvent } from '../../devices/live/device-feed.ts'
import type { CustomerOwner } from '../../devices/registry/devices.ts'
import { tenantOf } from '../../devices/telemetry/slow-reads.ts'
import { gated, withRests } from '../../platform/gated-reads.ts'
import { streamLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { StreamCredential, StreamCredentials } from './stream-credentials.ts'

interface StreamRequest {
  owner: CustomerOwner
  device_id: string | null
  last_event_id: string | undefined
  credential: StreamCredential
}

const keepAliveMilliseconds = 10_000
/** By then every process knows that this customer is watched; what changed before that is read once more. */
const announcedMilliseconds = 1_000
/** A message may be this old when it is committed, so a resumed stream starts this much earlier. */
const overlapMilliseconds = 30_000

export interface StreamContext extends DevicesContext {
  /** The open streams of each customer. */
  deviceStreams: Map<string, Set<PassThrough>>
  streamCredentials: StreamCredentials
}

/** Server-sent events: `state`, `status` and `removed`, each with an id to resume from. */
export async function openDeviceStream(context: StreamContext, request: StreamRequest): Promise<PassThrough> {
  const { owner, device_id } = request
  const { customer_id, within = null } = owner
  const stream = openStream(context, customer_id)
  const openedAt = context.now()
  const timers: NodeJS.Timeout[] = []
  const stops: (() => void)[] = []
  stream.once('close', () => {
    for (const timer of timers) clearTimeout(timer)
    for (const stop of stops) stop()
  })

  // While older changes are still being sent the id does not advance, so that a broken stream resumes before them.
  let caughtUp = request.last_event_id === undefined
  let reached = readId(request.last_event_id, openedAt)
  const send = (events: LiveEvent[], at: Date) => {
    if (caughtUp) reached = at
    const wanted = device_id === null ? events : events.filter(({ data }) => data.device_id === device_id)
    if (wanted.length > 0) write(stream, wanted.map((event) => format(event, reached)).join(''))
  }
  const left = new AbortController()
  stream.once('close', () => left.abort())
  const reader = { tenant: tenantOf({ customer_id }), signal: left.signal, patient: true }
  const reading = gated(context, reader)
  const readChanges = async (from: Date) => {
    const since = new Date(from.getTime() - overlapMilliseconds)
    for await (const events of withRests(changesSince(reading, owner, since, device_id))) {
      if (isOver(stream)) return
      send(events, context.now())
      while (stream.writableNeedDrain && !isOver(stream)) await drained(stream)
    }
  }
  // One stream of a customer at a time looks through all its devices; the others hold nothing meanwhile.
  const catchUp = (from: Date) =>
    device_id === null ? context.catchUpGate(reader, () => readChanges(from)) : readChanges(from)

  try {
    const onEvents = (events: PlacedEvent[], at: Date) => {
      const wanted = events.filter(({ isFor }) => isFor(within)).map(({ event }) => event)
      send(wanted, at)
    }
    stops.push(
      await context.deviceFeed.subscribe(customer_id, {
        placed: within !== null,
        onEvents,
        onGap: () => stream.end(),
      }),
    )
    // After the subscription, so that no end of the credential comes between: a stream ends within a second (decision 8.6).
    stops.push(await context.streamCredentials.watch(request.credential, () => stream.end()))
    stops.push(await context.liveInterest.watch(customer_id))
  } catch (error) {
    stream.destroy()
    throw error
  }
  if (stream.destroyed) for (const stop of stops) stop()
  write(stream, `retry: 1000\nid: ${reached.getTime()}\nevent: ready\ndata: {}\n\n`)

  const guard = (work: Promise<void>) => work.catch((error) => fail(context, stream, error))
  if (!caughtUp) {
    const resume = async () => {
      await catchUp(reached)
      caughtUp = true
    }
    void guard(resume())
  }
  timers.push(setTimeout(() => void guard(catchUp(openedAt)), announcedMilliseconds).unref())
  timers.push(setInterval(() => write(stream, ': beat\n\n'), keepAliveMilliseconds).unref())
  return stream
}

/** An open stream would keep a process from stopping. */
export function endStreams(context: StreamContext): void {
  for (const streams of context.deviceStreams.values()) for (const stream of streams) stream.end()
}

function openStream(context: StreamContext, customerId: string): PassThrough {
  const streams = context.deviceStreams
  const ofCustomer = streams.get(customerId) ?? new Set()
  const all = [...streams.values()].reduce((sum, { size }) => sum + size, 0)
  if (ofCustomer.size >= streamLimits.perCustomer || all >= streamLimits.perProcess) {
    throw new Refusal(429, 'too_many_streams', 'Too many live streams are open. Close one or try again later.')
  }
  const stream = new PassThrough()
  streams.set(customerId, ofCustomer.add(stream))
  stream.once('close', () => {
    ofCustomer.delete(stream)
    if (ofCustomer.size === 0 && streams.get(customerId) === ofCustomer) streams.delete(customerId)
  })
  return stream
}

function write(stream: PassThrough, text: string): void {
  if (stream.writableEnded || stream.destroyed) return
  if (stream.writableLength + stream.readableLength > streamLimits.unreadBytes) stream.end()
  else stream.write(text)
}

function format({ kind, data }: LiveEvent, reached: Date): string {
  return `id: ${reached.getTime()}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}

/** An event id is a time in milliseconds; with anything else the stream starts now. */
function readId(id: string | undefined, now: Date): Date {
  const at = /^\d{1,15}$/.test(id ?? '') ? Number(id) : Number.NaN
  return at <= now.getTime() ? new Date(at) : now
}

/** A client that does not read what it asked for is cut off, since other streams wait for it. */
async function drained(stream: PassThrough): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => stream.destroy(), streamLimits.stallMilliseconds)
    const stop = () => {
      clearTimeout(late)
      stream.off('drain', stop).off('close', stop)
      resolve()
    }
    stream.on('drain', stop).on('close', stop)
  })
}

function isOver(stream: PassThrough): boolean {
  return stream.destroyed || stream.writableEnded
}

/** The client reconnects by itself and resumes. */
function fail(context: StreamContext, stream: PassThrough, error: unknown): void {
  if (!stream.destroyed) context.log.warn({ err: error }, 'live: stream ended')
  stream.end()
}
