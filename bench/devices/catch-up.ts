// A partner's cloud that was away sends what gathered: mass calls of 1,000 messages, of one device or of many.
import { inTurns, openLoad } from '../environment.ts'
import { type FleetDevice, massRequest } from './fleet.ts'

const callSize = 1_000
/** Calls at once. */
const calls = 2

/** Mass calls of the same size with different mixtures of devices, in turns; the rates are of messages. */
export async function catchUpInTurns(port: number, fleet: FleetDevice[], rounds: number, seconds: number) {
  // Devices of its own for each side: messages of the others must not be among those that its own wait for.
  const requests = {
    '1,000 messages of one device': requestsOf(fleet.slice(0, 1)),
    '20 messages of each of 50 devices': requestsOf(fleet.slice(1, 51)),
    '1,000 devices': requestsOf(fleet.slice(51, 51 + callSize)),
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
  const turns = await inTurns(rounds, sides as Record<keyof typeof requests, () => Promise<number>>, 2)
  for (const { load } of loads) await load.close()
  return turns
}

/** The devices take turns in a call, each message a second after the one before. */
function requestsOf(devices: FleetDevice[]): string[] {
  const from = Date.now() - callSize * 1000
  const entries = Array.from({ length: callSize }, (_, n) => devices[n % devices.length]!)
  return Array.from({ length: 4 }, () => massRequest(entries, (n) => new Date(from + n * 1000).toISOString()))
}
