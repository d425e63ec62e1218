// How long a page of a list takes with many rows and with few.
import { median, spreadOf, toMilliseconds } from './environment.ts'
import type { Row } from './table.ts'

export interface Page {
  url: string
  headers: Record<string, string>
}

const bar = 1.5

interface Compared {
  name: string
  small: Page
  large: Page
}

interface Times {
  small: number[]
  large: number[]
}

/**
 * One row for all pages, of the one whose time grows most: when it holds, all hold. In turns, one request at a time and
 * every page in each round: other work of the machine slows both sides of all of them alike.
 */
export async function bySize(
  what: string,
  [few, many]: [number, number],
  pages: Compared[],
  quick: boolean,
): Promise<Row> {
  const less = few.toLocaleString('en')
  const times = pages.map((): Times => ({ small: [], large: [] }))
  // The first ones warm the caches, and the plans of every connection.
  const warmUp = quick ? 4 : 30
  // A few pages take little time, and more rounds make their ratio surer.
  const rounds = quick ? (pages.length > 10 ? 16 : 64) : 200
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, { small, large }] of pages.entries()) {
      const took = { small: await timeOf(small), large: await timeOf(large) }
      if (round < 0) continue
      times[index]!.small.push(took.small)
      times[index]!.large.push(took.large)
    }
  }
  const rows = pages.map(({ name }, index) => toRow(name, times[index]!))
  for (const row of rows) {
    console.log(`  ${row.what}: ${row.peer} with ${less}, ${row.ours} with ${many.toLocaleString('en')}`)
  }
  const slowest = rows.reduce((one, other) => (one.ratio! > other.ratio! ? one : other))
  return {
    ...slowest,
    what: `${many.toLocaleString('en')} ${what}: of ${pages.length} pages the one that grows most (${slowest.what})`,
    peer: `with ${less}: ${slowest.peer}`,
  }
}

function toRow(what: string, { small, large }: Times): Row {
  const p99 = (all: number[]) => toMilliseconds(all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)]!)
  const smallParts = inParts(small)
  const ratios = inParts(large).map((part, n) => median(part) / median(smallParts[n]!))
  return {
    what,
    ours: toMilliseconds(median(large)),
    peer: toMilliseconds(median(small)),
    ratio: median(ratios),
    bar,
    better: 'lower',
    spread: spreadOf(ratios),
    p99: `${p99(large)}, ${p99(small)}`,
  }
}

/** The ratio of two single requests tells nothing; that of the medians of an eighth of the run does. */
function inParts(times: number[]): number[][] {
  return Array.from({ length: 8 }, (_, n) => times.slice((n * times.length) / 8, ((n + 1) * times.length) / 8))
}

async function timeOf({ url, headers }: Page): Promise<number> {
  const from = performance.now()
  const response = await fetch(url, { headers })
  const { items } = (await response.json()) as { items?: unknown[] }
  if (response.status !== 200 || !items?.length) throw new Error(`${url}: ${response.status}, ${items?.length} items`)
  return performance.now() - from
}
