import { DatabaseSync } from 'node:sqlite'
import type { Message } from './devices.ts'
import { closed, type OutboxQueue, type Queued } from './queue.ts'

/**
 * A queue in an SQLite file, for one process at a time (`node:sqlite`: Node.js 22.13 or newer). A message survives a kill
 * and a power cut once `push` has resolved. The file holds access keys: keep it where only its owner can read it.
 */
export function sqliteQueue(path: string): OutboxQueue {
  const database = new DatabaseSync(path)
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma locking_mode = exclusive;
    create table if not exists outbox (key integer primary key autoincrement, message text not null) strict;`)
  const insert = database.prepare('insert into outbox (message) values (?)')
  const select = database.prepare('select key, message from outbox where key > ? order by key limit ?')
  const remove = database.prepare('delete from outbox where key in (select value from json_each(?))')
  let size = Number(database.prepare('select count(*) as count from outbox').get()!.count)
  let waiting: { text: string; resolve(): void; reject(error: unknown): void }[] = []

  /** Those of one moment are one transaction. */
  function write(): void {
    const batch = waiting
    waiting = []
    try {
      database.exec('begin immediate')
      for (const { text } of batch) insert.run(text)
      database.exec('commit')
      size += batch.length
      for (const { resolve } of batch) resolve()
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      for (const { reject } of batch) reject(error)
    }
  }

  return {
    push(message) {
      if (!database.isOpen) return Promise.reject(closed())
      return new Promise((resolve, reject) => {
        if (waiting.push({ text: JSON.stringify(message), resolve, reject }) === 1) queueMicrotask(write)
      })
    },
    async oldest(count, after = 0) {
      return select.all(after, count).map(
        (row): Queued => ({
          ...(JSON.parse(String(row.message)) as Message),
          key: Number(row.key),
        }),
      )
    },
    async remove(keys) {
      size -= Number(remove.run(JSON.stringify(keys)).changes)
    },
    get size() {
      return size + waiting.length
    },
    async close() {
      if (database.isOpen) database.close()
    },
  }
}
