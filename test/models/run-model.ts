// What every model needs: commands over plain data and the real service, sequences of them, and what a failure prints.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { fuzzSeed } from '../support/fuzz-seed.ts'
import type { TestResponse } from '../support/harness.ts'
import type { Verdict } from './rules/verdict.ts'

/** A sequence takes a third of a second; `npm run check:models` runs many. */
const runs = Number(process.env.LANDBRIDGE_MODEL_RUNS ?? 4)
/** Of a failure: both are printed with it, and repeat it at once. */
const { LANDBRIDGE_MODEL_PATH: path, LANDBRIDGE_MODEL_REPLAY: replayPath } = process.env

export interface Named<Model extends object, Real> {
  name: string
  command: fc.Arbitrary<fc.AsyncCommand<Model, Real>>
  weight: number
}

/** How often each command ran: one that never does proves nothing. */
const counted = new Map<string, number>()

/**
 * `run` calls the service and compares it with what the model says. `when` keeps a command out where it makes no sense;
 * what others need before they make sense has a greater weight.
 */
export function command<Model extends object, Real, Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  run: (model: Model, real: Real, input: Input) => Promise<void>,
  { when = () => true, weight = 1 }: { when?: (model: Model, input: Input) => boolean; weight?: number } = {},
): Named<Model, Real> {
  const toCommand = (given: Input): fc.AsyncCommand<Model, Real> => ({
    check: (model) => when(model, given),
    async run(model, real) {
      counted.set(name, (counted.get(name) ?? 0) + 1)
      await run(model, real, given)
    },
    toString: () => `${name} ${fc.stringify(given)}`,
  })
  return { name, command: input.map(toCommand), weight }
}

interface ModelTest<Model extends object, Real> {
  commands: Named<Model, Real>[]
  /** Fresh things in the service, and the plain data that describes them. */
  begin: () => Promise<{ model: Model; real: Real }>
  /** After each sequence: everything, as everybody sees it. */
  look: (model: Model, real: Real) => Promise<void>
  maxCommands?: number
}

/** Declares the test. A failure prints the shortest sequence, its seed, its path and its replay path. */
export function itKeepsTheModel<Model extends object, Real>(
  what: string,
  { commands, begin, look, maxCommands = 60 }: ModelTest<Model, Real>,
): void {
  // On a busy machine, and with a failure to shrink.
  const timeout = 300_000 + runs * 30_000
  it(`${what}: ${runs} sequences (seed ${fuzzSeed})`, { timeout }, async (test) => {
    counted.clear()
    const sequences = fc.commands(
      commands.flatMap(({ command, weight }) => Array.from({ length: weight }, () => command)),
      { maxCommands, size: 'max', ...(replayPath ? { replayPath } : {}) },
    )
    let done = 0
    const property = fc.asyncProperty(sequences, async (sequence) => {
      const start = await begin()
      await fc.asyncModelRun(() => start, sequence)
      await look(start.model, start.real)
      done += 1
      if (done % 50 === 0) console.log(`${what}: ${done} sequences`)
    })
    const replay = path ? { path, endOnFailure: true } : {}
    await fc.assert(property, { seed: fuzzSeed, numRuns: runs, ...replay })
    const all = [...counted.values()].reduce((sum, count) => sum + count, 0)
    test.diagnostic(
      `${what}: ${runs} sequences, ${all} commands (${[...counted].map((each) => each.join(' ')).join(', ')})`,
    )
    // Few sequences cannot reach everything.
    if (runs < 100 || path) return
    const missing = commands.filter(({ name }) => !counted.has(name)).map(({ name }) => name)
    assert.deepEqual(missing, [], 'commands that never ran')
  })
}

/** One of the refusals that the documents allow, or the success. Returns whether it was one. */
export function assertVerdict(response: TestResponse, verdict: Verdict): boolean {
  const { status, body } = response
  const got = `${status} ${body?.code ?? ''}`.trim()
  if (verdict.refusals.length === 0) {
    assert.equal(got, String(verdict.status), JSON.stringify(body))
    return true
  }
  assert.ok(
    verdict.refusals.includes(got),
    `${got} instead of ${verdict.refusals.join(' or ')}: ${JSON.stringify(body)}`,
  )
  return false
}

export function pick<Item>(items: readonly Item[], number: number): Item {
  return items[number % items.length]!
}

type Page = (query: string) => Promise<TestResponse>

/** Every item of a list, by pages that are small enough to be several. */
export async function readAll(page: Page, limit = 3): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { status, body } = await page(`limit=${limit}${after ? `&after=${after}` : ''}`)
    assert.equal(status, 200, JSON.stringify(body))
    items.push(...body.items)
    assert.ok(body.items.length <= limit && items.length < 1_000)
    after = body.next
  }
  return items
}
