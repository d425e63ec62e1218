import assert from 'node:assert/strict'
import type { FleetDevice } from '../../bench/devices/fleet.ts'
import { deviceAt } from '../../server/src/cli/simulate/believable-devices.ts'
import { bucketOf } from '../../server/src/devices/bucket.ts'
import { packHistoryJob } from '../../server/src/devices/telemetry/packing.ts'
import { day, dayOf, nameOf } from '../../server/src/devices/telemetry/partitions.ts'
import { isPacked, selectHistory } from '../../server/src/devices/telemetry-store/telemetry-store.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { createLog } from '../../server/src/platform/log.ts'

const limit = 200

/** Writes a day of one message per minute and device, packs it, and requires that every page stays as it was. */
export async function comparePages(sql: Pool, fleet: FleetDevice[]) {
  const number = dayOf(new Date()) - 5
  const from = new Date(number * day)
  const to = new Date((number + 1) * day - 1)
  for (const [position, device] of fleet.entries()) {
    const simulated = deviceAt('citus', position, { kinds: ['thermostat'] })
    const instants = Array.from({ length: 1_440 }, (_, minute) => new Date(from.getTime() + minute * 60_000))
    const texts = instants.map((at) => JSON.stringify(simulated.readingAt(at).telemetries))
    await sql`
      insert into history (bucket, device_number, sequence, timestamp, received_at, message_id, status, telemetries)
      select ${bucketOf(device.id)}::smallint, ${device.number}::int, position, at, at,
        case when position % 2 = 0 then md5(position::text) end, 'online', text::json
      from unnest(${instants}::timestamptz[], ${texts}::text[]) with ordinality as message (at, text, position)`
  }
  const before = { size: await sizeOf(sql, nameOf(number)), pages: await readPages(sql, fleet, from, to) }
  // The oldest days go first, and are empty.
  const job = packHistoryJob({ sql, now: () => new Date(), log: createLog('warn') })
  for (let run = 0; run < 10 && !(await isPacked(sql, nameOf(number))); run += 1) await job.runShared()
  assert.ok(await isPacked(sql, nameOf(number)))
  const pages = await readPages(sql, fleet, from, to)
  assert.deepEqual(pages, before.pages)
  return { before: before.size, after: await sizeOf(sql, nameOf(number)), pages: pages.length }
}

/** Bytes per message, with indexes. */
async function sizeOf(sql: Pool, name: string): Promise<number> {
  const [{ bytes }] = await sql<[{ bytes: number }]>`select citus_total_relation_size(${name})::float8 as bytes`
  const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from ${sql(name)}`
  return Math.round(bytes / count)
}

async function readPages(sql: Pool, fleet: FleetDevice[], from: Date, to: Date): Promise<unknown[]> {
  const pages: unknown[] = []
  for (const { id, number } of fleet) {
    for (const newestFirst of [false, true]) {
      let after = newestFirst ? { timestamp: to, sequence: 2 ** 31 - 1 } : { timestamp: from, sequence: -1 }
      for (;;) {
        const range = { from, to, receivedFrom: from }
        const device = { bucket: bucketOf(id), number }
        const page = await selectHistory(sql, device, range, { newestFirst, after, limit }, undefined)
        pages.push(page)
        if (page.length < limit) break
        after = page.at(-1)!
      }
    }
  }
  return pages
}
