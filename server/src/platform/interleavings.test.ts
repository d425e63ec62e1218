// fast-check's scheduler decides in which order the steps of concurrent callers go on, and shrinks to the shortest order
// that breaks a promise.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { coalesce } from './database/coalesce.ts'
import { coalesceSame } from './database/coalesce-same.ts'
import { readGate } from './read-gate.ts'
import { Refusal } from './refusal.ts'

/** Calls gather until the end of a turn of the event loop: without one after each step, all of them would gather at once. */
const scheduler = () => fc.scheduler({ act: (step) => step().then(() => turn()) })

const runs = { numRuns: 100 }

describe('every interleaving of coalesced calls', () => {
  const calls = fc.array(fc.record({ item: fc.nat(5), fails: fc.boolean() }), { minLength: 1, maxLength: 12 })

  it('gives each call its own result, or the failure of its own run, and never runs more than may run at once', async () => {
    const property = fc.asyncProperty(
      ...[scheduler(), calls, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })],
      async (scheduler, wanted, atOnce, max) => {
        let running = 0
        const ran: number[] = []
        const run = async (numbers: number[]) => {
          running += 1
          assert.ok(running <= atOnce && numbers.length <= max)
          await scheduler.schedule(Promise.resolve(), 'the statement')
          running -= 1
          ran.push(...numbers)
          if (numbers.some((number) => wanted[number]!.fails)) throw new Error(numbers.join())
          return numbers.map((number) => number * 10)
        }
        const call = coalesce(run, { atOnce, max })
        const results = wanted.map(async (_, number) => {
          await scheduler.schedule(Promise.resolve(), `call ${number}`)
          return await call(number).catch((error: Error) => error.message.split(',').map(Number))
        })
        const all = await scheduler.waitFor(Promise.all(results))
        assert.deepEqual(ran.toSorted(), wanted.map((_, number) => number).toSorted(), 'each once')
        for (const [number, result] of all.entries()) {
          if (typeof result === 'number') assert.equal(result, number * 10)
          else
            assert.ok(result.includes(number) && result.some((other) => wanted[other]!.fails), 'the failure of its run')
        }
        assert.equal(call.waiting(), 0)
      },
    )
    await fc.assert(property, runs)
  })

  it('never gives a call what was read before it was made', async () => {
    const property = fc.asyncProperty(scheduler(), calls, async (scheduler, wanted) => {
      let version = 0
      const read = async (items: number[]) => {
        const seen = version
        await scheduler.schedule(Promise.resolve(), 'the statement')
        return items.map((item) => ({ item, seen }))
      }
      const call = coalesceSame(String, read)
      const results = wanted.map(async ({ item }) => {
        await scheduler.schedule(Promise.resolve(), `call ${item}`)
        version += 1
        const made = version
        const result = await call(item)
        assert.equal(result.item, item)
        assert.ok(result.seen >= made, `read at ${result.seen}, called at ${made}`)
      })
      await scheduler.waitFor(Promise.all(results))
    })
    await fc.assert(property, runs)
  })
})

describe('every interleaving of reads at the gate', () => {
  const readers = fc.array(
    fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), leaves: fc.boolean(), fails: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 14,
    },
  )

  it('keeps to its bounds, runs or refuses each read once, and is empty afterwards', async () => {
    const property = fc.asyncProperty(
      ...[scheduler(), readers, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 }), fc.nat(3)],
      async (scheduler, wanted, atOnce, ofTenant, maxWaiting) => {
        const gate = readGate({ atOnce, ofTenant, maxWaiting, waitSeconds: 60 })
        const running: string[] = []
        const one = async ({ tenant, leaves, fails }: (typeof wanted)[number], index: number) => {
          const left = new AbortController()
          await scheduler.schedule(Promise.resolve(), `${tenant} asks`)
          let ran = false
          const read = gate({ tenant, signal: left.signal }, async () => {
            ran = true
            running.push(tenant)
            assert.ok(running.length <= atOnce)
            assert.ok(running.filter((other) => other === tenant).length <= ofTenant)
            await scheduler.schedule(Promise.resolve(), `${tenant} reads`)
            running.splice(running.indexOf(tenant), 1)
            if (fails) throw new Error(`of ${index}`)
            return index
          })
          const outcome = read.catch((error: Error) => error)
          if (leaves) {
            await scheduler.schedule(Promise.resolve(), `${tenant} leaves`)
            left.abort()
          }
          const result = await outcome
          if (result === index) assert.ok(ran && !fails)
          else if (result instanceof Refusal) assert.ok(!ran && result.code === 'too_many_reads')
          else if (ran) assert.equal((result as Error).message, `of ${index}`)
          else assert.ok(leaves, String(result))
        }
        await scheduler.waitFor(Promise.all(wanted.map(one)))
        assert.deepEqual(running, [])
        // Nothing was left behind that would hold up the next.
        const next = ['a', 'b', 'c'].slice(0, atOnce).map((tenant) => gate({ tenant }, async () => tenant))
        assert.equal((await Promise.all(next)).length, next.length)
      },
    )
    await fc.assert(property, runs)
  })
})
