/** Callers that send their first request at the same time. */
const few = 16

/**
 * The first request of every caller, before any load: Node.js accepts one connection per turn of its event loop, and under
 * full load a turn is so long that the last of 512 would wait for a minute.
 */
export async function fewAtATime<Caller, Result>(
  callers: Caller[],
  send: (caller: Caller, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < callers.length; from += few) {
    const sent = callers.slice(from, from + few).map((caller, n) => send(caller, from + n))
    results.push(...(await Promise.all(sent)))
  }
  return results
}
