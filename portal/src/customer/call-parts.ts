// Changes of more devices than one call of the service takes.

/** As many devices as one call may change. */
const perCall = 1_000

export function partsOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / perCall) }, (_, n) =>
    items.slice(n * perCall, (n + 1) * perCall),
  )
}

export interface ResultOf<Item> {
  device: Item
  /** Why it was not done. */
  error: string | null
}

/** Changes some devices, of which `first` is the index of the first; why each was not changed. */
export type CallForPart<Item> = (part: Item[], first: number) => Promise<(string | null)[]>

/**
 * Calls the service for some devices after the other, with one result per device. A call that fails ends it: what was done
 * before is done, and the others say why they were not; only if nothing was done it is an error.
 */
export async function runInParts<Item>(
  devices: readonly Item[],
  call: CallForPart<Item>,
  onDone: (done: number) => void = () => {},
): Promise<ResultOf<Item>[]> {
  const results: ResultOf<Item>[] = []
  for (const part of partsOf(devices)) {
    const first = results.length
    try {
      const errors = await call(part, first)
      results.push(...part.map((device, index) => ({ device, error: errors[index] ?? null })))
    } catch (error) {
      if (first === 0) throw error
      const rest = devices.slice(first)
      results.push(...rest.map((device) => ({ device, error: (error as Error).message })))
      break
    }
    onDone(results.length)
  }
  return results
}

interface Sent {
  batch_id: string
  results: { error?: string | undefined }[]
}

/** One command for all devices, with the batch of each call. */
export async function sendCommands<Item extends { id: string }>(
  run: (devices: Item[], call: CallForPart<Item>) => Promise<ResultOf<Item>[]>,
  devices: Item[],
  send: (deviceIds: string[]) => Promise<Sent>,
): Promise<{ results: ResultOf<Item>[]; batches: string[] }> {
  const batches: string[] = []
  const results = await run(devices, async (part) => {
    const sent = await send(part.map(({ id }) => id))
    batches.push(sent.batch_id)
    return sent.results.map(({ error }) => error ?? null)
  })
  return { results, batches }
}

/** What is wrong for every device is wrong in the form: its result; undefined when some device took it. */
export function refusedByAll<Result extends { status: number; details?: readonly unknown[] | undefined }>(
  results: readonly Result[],
): Result | undefined {
  return results.every(({ status }) => status === 422) ? results.find(({ details }) => details?.length) : undefined
}
