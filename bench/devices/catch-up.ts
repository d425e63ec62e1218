// A partner's cloud that was away sends what gathered: mass calls of 1,000 messages, of one device or of many.
import { inTurns, openLoad } from '../environment.ts'
import { type FleetDevice, massRequest } from './fleet.ts'

const callSize = 1_000
/** Calls at once. */
const calls = 2

/** Mass calls of the same size with different mixtures of devices, in turns; the rates are of messages. */
export async function catchUpInTurns(port: number, fleet: FleetDevice[], rounds: number, seconds: number) {
  // Devices of its own for each call at once: messages of one device wait for each other.
  let used = 0
  const requestsOf = (devices: number) =>
    Array.from({ length: calls }, () => {
      used += devices
      return requestOf(fleet.slice(used - devices, used))
    })
  const requests = {
    '1,000 messages of one device': requestsOf(1),
    '20 messages of each of 50 devices': requestsOf(50),
    '1,000 devices': requestsOf(callSize),
  }
  const loads = Object.entries(requests).map(([side, requests]) => {
    const load = openLoad({ port, connections: calls, requests })
    const measure = async () => {
      const { rate, others } = await load.run({ warmUpSeconds: 0.2, seconds })
      if (others > 0) throw new Error(`${side}: ${others} mass calls were refused`)
      return rate * callSize
    }
    return { side, load, measure }
  })
  const sides = Object.fromEntries(loads.map(({ side, measure }) => [side, measure]))
  const turns = await inTurns(rounds, sides as Record<keyof typeof requests, () => Promise<number>>)
  for (const { load } of loads) await load.close()
  return turns
}

/** The devices take turns in a call; no two messages have the same timestamp. */
function requestOf(devices: FleetDevice[]): string {
  const entries = Array.from({ length: callSize }, (_, n) => devices[n % devices.length]!)
  return massRequest(entries, () => '<instant>')
}
