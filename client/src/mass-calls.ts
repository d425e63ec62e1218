/** A call carries at most so many messages, and so many bytes (contract 8: 8 MiB, with room for a proxy's own limit). */
export const callLimits = { messages: 1_000, bytes: 1_000_000 }

interface Call {
  hubUrl: string
  /** JSON texts. */
  entries: string[]
  /** Where in the list of messages each entry stands. */
  indexes: number[]
  bytes: number
}

/** Cut by hub, by count and by bytes. */
export function callsFor<Device extends { id: string; access_key: string }>(
  messages: { device: Device; telemetry: object }[],
  hubOf: (device: Device) => string,
): Call[] {
  const calls: Call[] = []
  const open = new Map<string, Call>()
  for (const [index, { device, telemetry }] of messages.entries()) {
    const { id, access_key } = device
    const hubUrl = hubOf(device)
    const entry = JSON.stringify({ id, access_key, ...telemetry })
    const bytes = new TextEncoder().encode(entry).length + 1
    let call = open.get(hubUrl)
    if (!call || call.entries.length === callLimits.messages || call.bytes + bytes > callLimits.bytes) {
      call = { hubUrl, entries: [], indexes: [], bytes: 0 }
      calls.push(call)
      open.set(hubUrl, call)
    }
    call.entries.push(entry)
    call.indexes.push(index)
    call.bytes += bytes
  }
  return calls
}
