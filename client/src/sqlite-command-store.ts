import { DatabaseSync } from 'node:sqlite'
import { type CommandStore, type RememberedCommand, withCommand } from './command-store.ts'
import { closed } from './queue.ts'

/**
 * Commands in an SQLite file, for one process at a time (`node:sqlite`: Node.js 22.13 or newer): what was written survives
 * a kill and a power cut. The choice for the commands of a large fleet.
 */
export function sqliteCommandStore(path: string): CommandStore {
  const database = new DatabaseSync(path)
  // What a `resume` was given may be secret, and is overwritten once it is not needed any more.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma locking_mode = exclusive;
    pragma secure_delete = on;
    create table if not exists commands (
      number integer primary key autoincrement, device_id text not null, id text not null, is_settled integer not null,
      command text not null, unique (device_id, id)) strict;
    create index if not exists commands_unsettled on commands (number) where not is_settled;`)
  const select = database.prepare('select command from commands where device_id = ? order by number')
  const selectUnsettled = database.prepare(
    'select device_id, command from commands where not is_settled order by number',
  )
  const upsert = database.prepare(`
    insert into commands (device_id, id, is_settled, command) values (?, ?, ?, ?)
    on conflict (device_id, id) do update set is_settled = excluded.is_settled, command = excluded.command`)
  const remove = database.prepare('delete from commands where device_id = ? and id = ?')
  const read = (deviceId: string) =>
    select.all(deviceId).map(({ command }) => JSON.parse(String(command)) as RememberedCommand)
  return {
    async read(deviceId) {
      return read(deviceId)
    },
    async write(deviceId, command) {
      if (!database.isOpen) throw closed()
      const before = read(deviceId)
      const kept = new Set(withCommand(before, command).map(({ id }) => id))
      database.exec('begin immediate')
      try {
        upsert.run(deviceId, command.id, Number(command.isSettled), JSON.stringify(command))
        for (const { id } of before) if (!kept.has(id)) remove.run(deviceId, id)
        database.exec('commit')
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    async unsettled() {
      return selectUnsettled.all().map(({ device_id, command }) => ({
        deviceId: String(device_id),
        command: JSON.parse(String(command)) as RememberedCommand,
      }))
    },
    async close() {
      if (database.isOpen) database.close()
    },
  }
}
