import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../test/support/end-with-parent.ts'
import type { Chain } from '../../test/support/seeded-grants.ts'
import { onCleanUp } from '../clean-up.ts'
import { sayReopened } from '../environment.ts'
import type { CeilingOrder, CeilingReport } from './signing-ceiling.ts'
import type { LoadOrder, LoadReport } from './token-load.ts'

export type Alg = 'RS256' | 'ES256'

function start(file: string, ...args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning', ...endWithParent()],
    // oidc-provider warns of its development defaults; they do not matter here.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

/** A process that ends without its message has printed why. */
async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const received = new AbortController()
  const { signal } = received
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as Message),
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? by} instead of a message`)
      }),
    ])
  } finally {
    received.abort()
  }
}

interface Server {
  port: number
  stop(): Promise<void>
}

async function startServer<Ready extends { port: number }>(file: string, ...args: string[]): Promise<Ready & Server> {
  const child = start(file, ...args)
  const stop = onCleanUp(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  return { ...(await messageOf<Ready>(child)), stop }
}

export async function startOidcProvider(alg: Alg, clients: number) {
  return await startServer<{ port: number; chains: Chain[] }>('provider-process.ts', alg, String(clients))
}

async function ask<Report>(file: string, order: object): Promise<Report> {
  const child = start(file)
  child.send(order)
  return await messageOf<Report>(child)
}

/** What all cores sign while nothing else runs. */
export async function signingCeiling(order: CeilingOrder): Promise<number> {
  return (await ask<CeilingReport>('signing-ceiling.ts', order)).signaturesPerSecond
}

/** Generators that have completed a turn; the next one needs no new process, which would be slow at first. */
const idle: ChildProcess[] = []

function startGenerator(): ChildProcess {
  const child = start('token-load.ts')
  onCleanUp(() => {
    idle.length = 0
    child.kill()
  })
  return child
}

/**
 * Until its code is compiled, a server takes twice as long for a refresh, and of two sides one may have served others
 * before.
 */
const secondsToWarmUp = 2
const portsWithLoadBefore = new Set<number>()

/** Runs the load in another process. A single failed request spoils the figure, so it ends the run. */
export async function load(order: LoadOrder): Promise<LoadReport> {
  const generator = idle.pop() ?? startGenerator()
  const isWarm = portsWithLoadBefore.has(order.port)
  portsWithLoadBefore.add(order.port)
  generator.send(isWarm ? order : { ...order, warmupSeconds: Math.max(order.warmupSeconds, secondsToWarmUp) })
  const report = await messageOf<LoadReport>(generator)
  idle.push(generator)
  sayReopened(report)
  if (report.failures > 0) throw new Error(`${report.failures} requests failed, the first with\n${report.firstFailure}`)
  return report
}
