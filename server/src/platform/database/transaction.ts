import type { Connection } from './connection.ts'
import { notCommitted } from './connection-lost.ts'
import type { Sql } from './pool-interface.ts'
import type { Shards } from './shards.ts'
import { createTag, plain, type Run } from './statement.ts'

/** Of each pool and transaction, what `wakeAfterCommit` calls. */
export const wakers = new WeakMap<Sql, (topic: string) => void>()

/** Tells this process that there is new work on a topic, once the transaction has committed; outside of one, at once. */
export function wakeAfterCommit(sql: Sql, topic: string): void {
  wakers.get(sql)?.(topic)
}

export async function runTransaction<T>(
  connection: Connection,
  shards: Shards | null,
  work: (tx: Sql) => Promise<T>,
  wake: (topic: string) => void,
): Promise<T> {
  const run: Run = (prepared) => connection.run(prepared)
  const words = { start: 'begin', keep: 'commit', undo: 'rollback' }
  const topics = new Set<string>()
  const result = await runBlock(run, shards, work, words, (topic) => topics.add(topic)).catch((error) => {
    // A transaction that could not be rolled back must not be continued by the next one.
    if (error instanceof NotUndone) connection.destroy()
    throw error instanceof NotUndone ? error.cause : error
  })
  for (const topic of topics) wake(topic)
  return result
}

class NotUndone extends Error {}

/** A transaction, or a savepoint inside one. */
async function runBlock<T>(
  run: Run,
  shards: Shards | null,
  work: (tx: Sql) => Promise<T>,
  words: { start: string; keep: string; undo: string },
  wake: (topic: string) => void,
): Promise<T> {
  let over = false
  // A statement that was not awaited must not run by itself after the commit.
  const inside: Run = (prepared) =>
    over ? Promise.reject(new Error('A statement was sent after its transaction had ended.')) : run(prepared)
  const tx = Object.assign(createTag(inside, shards), { begin: savepoints(inside, shards, wake) })
  wakers.set(tx, wake)
  await run(plain(words.start)).catch((error) => {
    throw notCommitted(error)
  })
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    over = true
    const cause = notCommitted(error)
    await run(plain(words.undo)).catch(() => {
      throw new NotUndone('', { cause })
    })
    throw cause
  }
  over = true
  // Postgres responds to the commit of a failed transaction with success, and a rollback.
  const { command } = await run(plain(words.keep))
  if (words.keep === 'commit' && command !== 'COMMIT')
    throw new Error('The transaction had failed and was rolled back.')
  return result
}

function savepoints(
  run: Run,
  shards: Shards | null,
  wake: (topic: string) => void,
): <T>(work: (tx: Sql) => Promise<T>) => Promise<T> {
  let number = 0
  return (work) => {
    const name = `savepoint_${++number}`
    const words = { start: `savepoint ${name}`, keep: `release ${name}`, undo: `rollback to ${name}` }
    return runBlock(run, shards, work, words, wake)
  }
}
