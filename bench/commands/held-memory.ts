// What requests that wait hold: of a service, and of Node's own HTTP server, which knows nothing but the connection.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../test/support/end-with-parent.ts'
import { onCleanUp } from '../clean-up.ts'
import { startFlags } from '../environment.ts'
import { residentMemory } from '../memory.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** A process with these collects its garbage when it is told to. */
export const collectingFlags = [...startFlags, '--expose-gc', '--import', here('./collect-on-signal.js')]

/** Without garbage, of which there is more or less by chance. */
export async function heldMemory(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await sleep(2_000)
  return residentMemory(pid)
}

export async function startBareServer() {
  const child = fork(here('./bare-server.js'), { execArgv: [...collectingFlags, ...endWithParent()] })
  const stop = onCleanUp(async () => void child.kill())
  const [port] = (await once(child, 'message')) as [number]
  return { pid: child.pid!, port, stop }
}
