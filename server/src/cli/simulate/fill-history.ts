import { inParallel } from './in-parallel.ts'
import type { Sender } from './senders.ts'
import type { SimulatedDevice } from './simulated-device.ts'
import type { SimulatedMessage } from './simulated-message.ts'

const step = 5 * 60_000

/**
 * Sends what the devices would have sent in the hours before, a message every five minutes, with gaps where they were
 * away. The instants are always the same and so are the message ids: a second run doubles nothing.
 */
export async function fillHistory(
  devices: SimulatedDevice[],
  sender: Sender,
  { hours, outages }: { hours: number; outages: number },
  signal: AbortSignal,
  onStored: (count: number) => void,
): Promise<void> {
  const until = Date.now()
  const from = Math.ceil((until - hours * 3_600_000) / step) * step
  await inParallel(chunksOf(devices, sender.messagesPerCall), sender.calls, signal, async (chunk) => {
    let messages: SimulatedMessage[] = []
    const flush = async () => {
      const verdicts = await sender.send(messages)
      const failure = verdicts.find((verdict) => verdict instanceof Error)
      if (failure && !signal.aborted) throw failure
      onStored(messages.length)
      messages = []
    }
    for (let at = from; at < until && !signal.aborted; at += step) {
      const instant = new Date(at)
      for (const device of chunk) {
        if (device.believable.isAwayAt(instant, outages)) continue
        const message = device.message(instant)
        message.telemetry.message_id = `history-${at}`
        messages.push(message)
        if (messages.length === sender.messagesPerCall) await flush()
      }
    }
    if (messages.length > 0 && !signal.aborted) await flush()
  })
}

function* chunksOf<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
