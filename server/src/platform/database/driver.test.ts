import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createDatabase } from '../../testing/harness.ts'
import { toRefusal } from '../http/refusals.ts'
import { isUnreachable, openDatabase, transaction } from './database.ts'

const postgres = new URL(await createDatabase())
const lines = new Set<Socket>()
/** Between us and Postgres, to be cut as a dying Postgres cuts it: without a word. */
const between = createServer((socket) => {
  const onward = connect(Number(postgres.port), postgres.hostname)
  for (const line of [socket, onward]) {
    lines.add(line)
    line.on('error', () => {}).on('close', () => [socket, onward].map((end) => lines.delete(end.destroy())))
  }
  socket.pipe(onward).pipe(socket)
}).listen(0, '127.0.0.1')
await once(between, 'listening')
const { port } = between.address() as AddressInfo
const sql = openDatabase({ url: Object.assign(new URL(postgres), { port }).href, max: 2 })
after(async () => {
  await sql.end({ timeout: 1 })
  between.close()
})

it('a transaction whose connection is lost is refused, whatever it goes on to send; the process lives, and so does the pool', async () => {
  for (let round = 0; round < 30; round += 1) {
    const lost = transaction(sql, async (tx) => {
      const waiting = tx`select pg_sleep(60)`.catch(() => {})
      for (let turns = 0; turns < round % 4; turns += 1) await turn()
      for (const line of lines) line.destroy()
      await waiting
      for (let turns = 0; turns < round % 3; turns += 1) await turn()
      await tx`select 1`
    })
    await assert.rejects(lost)
    const [row] = await sql<{ round: number }[]>`select ${round}::int as round`
    assert.equal(row!.round, round)
  }
})

it('a database that is not there is told apart from a fault of ours', async () => {
  const nowhere = openDatabase({ url: 'postgres://127.0.0.1:1/nowhere', max: 1 })
  const error = await nowhere`select 1`.catch((refused) => refused)
  assert.ok(isUnreachable(error), String(error))
  assert.equal(toRefusal(error).status, 503)
  await nowhere.end()
  assert.ok(isUnreachable(await nowhere`select 1`.catch((refused) => refused)))
  const faulty = await sql`select 1 / 0`.catch((refused) => refused)
  assert.ok(!isUnreachable(faulty))
  assert.equal(toRefusal(faulty).status, 500)
})
