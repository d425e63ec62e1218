// One tenant that reads as much as it can, as a process of its own: `attacker.ts <url> <key> exports|streams <count>`.
import { setPriority } from 'node:os'

// In the world it has a machine of its own; here it must not take the time of those it attacks.
setPriority(19)
const [url = '', key = '', kind = 'exports', count = '1'] = process.argv.slice(2)
const path = kind === 'streams' ? 'devices/stream' : 'devices.csv'
const headers = { authorization: key, ...(kind === 'streams' ? { 'last-event-id': '1' } : {}) }

async function attackForEver(): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${url}/core/v1/organization/${path}`, { headers })
      for await (const _part of response.body!);
      // A refusal says when to come again; an attacker comes sooner.
      if (!response.ok) await new Promise((resolve) => setTimeout(resolve, 1_000))
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

await Promise.all(Array.from({ length: Number(count) }, attackForEver))
