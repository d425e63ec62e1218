import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../test/support/end-with-parent.ts'
import type { Chain } from '../../test/support/seeded-grants.ts'
import type { LoadOrder, LoadReport } from './load.ts'

function start(file: string, ...args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning', ...endWithParent()],
    // oidc-provider warns of its development defaults; they do not matter here.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

export interface OidcProvider {
  port: number
  chains: Chain[]
  stop(): void
}

export async function startOidcProvider(
  alg: 'RS256' | 'ES256',
  clients: number,
  store: 'map' | 'stock',
): Promise<OidcProvider> {
  const child = start('oidc-provider.ts', alg, String(clients), store)
  const [ready] = (await once(child, 'message')) as [{ port: number; chains: Chain[] }]
  return { ...ready, stop: () => child.kill() }
}

/** Runs the load in its own process. A single failed request spoils the figure, so it ends the run. */
export async function load(order: LoadOrder): Promise<LoadReport> {
  const child = start('load.ts')
  child.send(order)
  const [report] = (await once(child, 'message')) as [LoadReport]
  if (report.failures > 0) throw new Error(`${report.failures} requests failed, the first with\n${report.firstFailure}`)
  return report
}
