import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { masterKey } from '../../server/src/platform/secrets/master-key.ts'
import { onCleanUp } from '../clean-up.ts'
import { masterKey as key } from '../environment.ts'

/** How long a mail server on the internet takes for a reply. */
const replyMilliseconds = 20

/** Takes every mail, as one far away does. */
export async function distantMailServer(): Promise<{ settings: Record<string, string>; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    const reply = (line: string) => setTimeout(() => socket.write(`${line}\r\n`), replyMilliseconds)
    let isContent = false
    reply('220 bench')
    createInterface({ input: socket }).on('line', (line) => {
      if (isContent && line !== '.') return
      const isEnd = isContent
      isContent = line === 'DATA'
      if (line === 'QUIT') setTimeout(() => socket.end('221 bye\r\n'), replyMilliseconds)
      else if (isContent) reply('354 go on')
      else reply(isEnd ? '250 taken' : '250 bench')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  onCleanUp(async () => close())
  const { port } = server.address() as { port: number }
  return {
    settings: {
      LANDBRIDGE_MAIL_URL: `smtp://127.0.0.1:${port}`,
      LANDBRIDGE_MAIL_FROM: 'no-reply@example.com',
      LANDBRIDGE_MASTER_KEY: key,
    },
    close,
  }
}

/**
 * As the service queues them, due now, sealed with its key, as long as an invitation. Then Postgres does what it would
 * do over the next minutes about so many rows at once: what is measured is that they wait, not that they came.
 */
export async function queueMails(sql: Pool, count: number): Promise<void> {
  const content = { paragraphs: ['You are invited to the organization of Harbour Hotels. '.repeat(10)] }
  const sealed = masterKey(Buffer.from(key, 'base64')).seal('mail', JSON.stringify(content))
  await sql`
    insert into mails (id, kind, recipient, subject, content, created_at, useful_until, urgent, state, next_attempt_at)
    select gen_random_uuid(), 'invitation', 'person' || n || '@example.com', 'You are invited', ${sealed},
      now(), now() + interval '1 day', n % 10 = 0, 'queued', now()
    from generate_series(1, ${count}::int) n`
  await sql`vacuum analyze mails`
  await sql`checkpoint`
}

/** Throws when those that wait are no queue any more, or when none was sent: neither slows anybody down. */
export async function expectQueued(sql: Pool, count: number): Promise<void> {
  const [row] = await sql<{ queued: number; sent: number }[]>`
    select count(*) filter (where state = 'queued')::int as queued, count(*) filter (where state = 'sent')::int as sent
    from mails`
  const { queued, sent } = row!
  console.log(`  ${sent.toLocaleString('en')} mails were sent meanwhile`)
  if (queued < 0.8 * count || sent < 50) throw new Error(`${queued} of ${count} mails still wait, ${sent} were sent`)
}
