import { type AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartFailure } from '../process/start-failure.ts'
import type { App } from './app.ts'

/**
 * Connections that may wait to be accepted, while this process is busy. Node's 511 are fewer than the devices that come
 * back at once after an outage, and the others would try again only after a second or more. The kernel may allow fewer
 * (`net.core.somaxconn`).
 */
export const connectionsWaiting = 4_096

/** Binds, and returns the port: 0 means any free one. */
export async function listen(app: App, binding: Binding): Promise<number> {
  const { host, port } = binding
  try {
    await app.listen({ host, port, backlog: connectionsWaiting })
  } catch (error) {
    throw cannotListen(error, binding)
  }
  return (app.server.address() as AddressInfo).port
}

/** A port in use is the most common problem of a first start: the message names the variable to set. */
export function cannotListen(error: unknown, { variable, host, port }: Binding): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartFailure(`Port ${port} is in use by another program. Set ${variable} to a free one (0 means any).`)
    case 'EACCES':
      return new StartFailure(`This user may not open port ${port}. Set ${variable} to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(
        `LANDBRIDGE_HOST ${host} is not an address of this machine. Use one such as 0.0.0.0 or 127.0.0.1.`,
      )
    default:
      return error
  }
}

interface Binding {
  /** The variable that names the port. */
  variable: string
  host: string
  port: number
}

/** Finishes the requests in progress; connections that are still active after the grace period are closed. */
export async function drain(app: App, { graceSeconds }: { graceSeconds: number }): Promise<void> {
  // A keep-alive connection that has just become idle would otherwise delay the close.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  const cut = setTimeout(() => app.server.closeAllConnections(), graceSeconds * 1000)
  await app.close()
  // A server that accepts no more since `retire` is closed at once, whatever is still under way.
  while ((await countConnections(app.server)) > 0) await sleep(20)
  clearInterval(sweep)
  clearTimeout(cut)
}

/**
 * Accepts no more connections, and goes on serving those that are open, until callers have left or the time is over.
 * `close` of an HTTP server would also close idle connections, on which a request may be on its way.
 */
export async function retire(servers: readonly Server[], { graceSeconds }: { graceSeconds: number }): Promise<void> {
  for (const server of servers) Server.prototype.close.call(server)
  const until = performance.now() + graceSeconds * 1000
  const isOpen = async () => (await Promise.all(servers.map(countConnections))).some((count) => count > 0)
  while (performance.now() < until && (await isOpen())) await sleep(50)
}

async function countConnections(server: Server): Promise<number> {
  return await promisify(server.getConnections.bind(server))()
}
