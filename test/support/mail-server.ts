import { createServer, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { whenDone } from './database.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  raw: string
  /** With soft line breaks and =XX undone. */
  text: string
  secure: boolean
  user: string | undefined
  name: string
}

export interface MailServer {
  port: number
  url: string
  got: ReceivedMail[]
  /** Connections so far. */
  connections: number
  /** Called before each recipient is taken; what it throws is the server's reply. */
  onRecipient: (address: string) => unknown
  /** Called with each mail before it is acknowledged. */
  onMail: (mail: ReceivedMail) => unknown
  close(): Promise<void>
}

export function refusal(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code })
}

/** A real SMTP server on loopback, without TLS unless told. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  host = '127.0.0.1',
  port = 0,
): Promise<MailServer> {
  const state: MailServer = {
    ...{ port: 0, url: '', got: [], connections: 0, onRecipient: () => {}, onMail: () => {} },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 10,
    onConnect(_session, callback) {
      state.connections += 1
      callback()
    },
    onRcptTo({ address }, _session, callback) {
      attempt(() => state.onRecipient(address)).then(() => callback(), callback)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        const mail: ReceivedMail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...{ raw, text: unquoted(raw), secure: session.secure, user: session.user as string | undefined },
          name: session.hostNameAppearsAs,
        }
        attempt(() => state.onMail(mail)).then(() => {
          state.got.push(mail)
          callback()
        }, callback)
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, host, () => resolve()))
  const address = server.server.address() as { port: number }
  Object.assign(state, { port: address.port, url: `smtp://${host}:${address.port}` })
  whenDone(() => state.close())
  return state
}

async function attempt(work: () => unknown): Promise<void> {
  await work()
}

export function unquoted(raw: string): string {
  return raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Takes connections and does with them what it is told. */
export async function startRawServer(onConnection: (socket: Socket) => void): Promise<{ port: number; url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  whenDone(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as { port: number }
  return { port, url: `smtp://127.0.0.1:${port}` }
}
