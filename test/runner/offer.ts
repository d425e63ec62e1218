// What costs seconds to start is started once per run, when the first of its processes asks for it.
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'

export interface Offer {
  /** Where other processes ask. */
  path: string
  /** What they get; started now, if nobody asked yet. */
  get(): Promise<string>
}

/** `start` runs at most once, and ends the whole run itself when it fails. */
export async function offer(folder: string, name: string, start: () => Promise<string>): Promise<Offer> {
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${process.pid}-${name}` : join(folder, name)
  let started: Promise<string> | undefined
  const get = () => {
    started ??= start()
    return started
  }
  const server = createServer(async (socket) => {
    socket.on('error', () => {}) // Whoever asked has ended.
    socket.end(JSON.stringify(await get()))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  server.unref()
  return { path, get }
}

export async function ask(path: string): Promise<string> {
  return (await json(connect(path))) as string
}
