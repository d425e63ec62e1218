import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { onCleanUp } from '../clean-up.ts'

/** Takes connections and says nothing. */
export async function hangingMailServer(): Promise<{ settings: Record<string, string>; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  onCleanUp(async () => close())
  const { port } = server.address() as { port: number }
  return {
    settings: { LANDBRIDGE_MAIL_URL: `smtp://127.0.0.1:${port}`, LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' },
    close,
  }
}

/**
 * As the service queues them, due now, with as many bytes as a sealed invitation has. Then Postgres does what it would
 * do over the next minutes about so many rows at once: what is measured is that they wait, not that they came.
 */
export async function queueMails(sql: Pool, count: number): Promise<void> {
  await sql`
    insert into mails (id, kind, recipient, subject, content, created_at, useful_until, urgent, state, next_attempt_at)
    select gen_random_uuid(), 'invitation', 'person' || n || '@example.com', 'You are invited', decode(repeat('ab', 600), 'hex'),
      now(), now() + interval '1 day', n % 10 = 0, 'queued', now()
    from generate_series(1, ${count}::int) n`
  await sql`vacuum analyze mails`
  await sql`checkpoint`
}
