import type { AddressInfo } from 'node:net'
import { StartFailure } from '../process/start-failure.ts'
import type { App } from './server.ts'

/** Binds, and answers the port that was bound: port 0 means any free one. */
export async function listen(app: App, binding: Binding): Promise<number> {
  const { host, port } = binding
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw cannotListen(error, binding)
  }
  return (app.server.address() as AddressInfo).port
}

/** A taken port is the most common fault of a first start: name the variable that mends it. */
export function cannotListen(error: unknown, { variable, host, port }: Binding): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartFailure(`Port ${port} is taken by another program. Set ${variable} to a free one (0 means any).`)
    case 'EACCES':
      return new StartFailure(`This user may not open port ${port}. Set ${variable} to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(`LANDBRIDGE_HOST ${host} is no address of this machine, such as 0.0.0.0 or 127.0.0.1.`)
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

/** Finishes the requests under way; a connection that still talks after the grace is cut. */
export async function drain(app: App, { graceSeconds }: { graceSeconds: number }): Promise<void> {
  // A kept-alive connection whose last request has just been answered would otherwise hold the door open.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  const cut = setTimeout(() => app.server.closeAllConnections(), graceSeconds * 1000)
  await app.close()
  clearInterval(sweep)
  clearTimeout(cut)
}
