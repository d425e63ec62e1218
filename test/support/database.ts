// Apart from the harness: what only starts processes or a browser does not load the whole service for a database.
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { onCitus, onEveryServer } from './citus.ts'
import { sharedPostgres } from './shared-postgres.ts'

const closers: (() => Promise<void>)[] = []

/** What was opened last is closed first: a database after everything that still uses it. */
export function whenDone(close: () => Promise<void>): void {
  closers.push(close)
  // Hooks run in the order in which they were added: each closes what was opened last. One that fails must leave open neither
  // the others nor what the hooks after this one close: the process would never end, and nobody would read why. So it fails
  // the process, not this hook.
  after(closeLast)
}

async function closeLast(): Promise<void> {
  await closers.pop()?.().catch(fail)
}

/** For the worker that runs the file: Node forgets to whom a hook belongs that is added after some kinds of waiting. */
Object.assign(globalThis, {
  closeAllOfTestFile: async () => {
    while (closers.length > 0) await closeLast()
  },
})

function fail(error: unknown): void {
  console.error(error)
  process.exitCode = 1
}

/** Creating and dropping a database wait for a checkpoint, which may take long on a busy machine. */
const adminSeconds = 120

/** Where no disk is waited for, copying the files costs a third of writing every page to the log. */
const copied = process.env.LANDBRIDGE_TEST_POSTGRES ? '' : 'strategy file_copy'

/** A database of the caller's own, copied from the run's migrated template, dropped when the file is done. */
export async function createDatabase(): Promise<string> {
  const server = await sharedPostgres()
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = openDatabase({ url: server, max: 1, statementSeconds: adminSeconds })
  const everywhere = (statement: string) =>
    onCitus ? onEveryServer(server, [statement]) : admin.unsafe(statement).then(() => {})
  // Postgres refuses a template that another file is copying at this very moment.
  for (let attempt = 0; ; attempt += 1) {
    try {
      await everywhere(`create database ${name} template landbridge_template ${copied}`)
      break
    } catch (error) {
      if (attempt > 100) throw error
      if (onCitus) await everywhere(`drop database if exists ${name}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  whenDone(async () => {
    // Plainly first, which sends autovacuum away: with `force`, a role that is no superuser is refused while it is there.
    await everywhere(`drop database ${name}`)
      .catch(() => everywhere(`drop database ${name} with (force)`))
      .finally(() => admin.end())
  })
  return Object.assign(new URL(server), { pathname: `/${name}` }).href
}
