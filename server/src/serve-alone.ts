import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { announce, localAddress } from './announce.ts'
import type { Config } from './config.ts'
import { Closing, watchParent } from './platform/process/closing.ts'
import { onReload } from './platform/process/hang-up.ts'
import { noSiblings } from './platform/process/siblings.ts'
import { reportFailedStart } from './platform/process/start-failure.ts'
import { openStorage } from './platform/process/storage.ts'
import { serve } from './serve.ts'

/** The whole service in this process; only Postgres is another one. */
export async function serveAlone(config: Config, log: Logger): Promise<void> {
  const closing = new Closing(log)
  const lifecycle = { draining: false, retiring: false }
  let serving = false

  async function stop(why: string, exitCode: number): Promise<never> {
    log.info({ why }, 'stopping')
    await closing.close()
    log.info('stopped')
    process.exit(exitCode)
  }

  /** A balancer learns from /readyz that this process is leaving, and asks another one, before anything is closed. */
  async function drainAndStop(): Promise<never> {
    if (serving && !lifecycle.draining) {
      lifecycle.draining = true
      log.info({ seconds: config.drainSeconds }, 'no longer ready, still serving')
      await sleep(config.drainSeconds * 1000)
    }
    return await stop('SIGTERM', 0)
  }

  process.on('SIGTERM', () => void drainAndStop())
  process.on('SIGINT', () => stop('SIGINT', 0))
  onReload(() => log.warn('SIGHUP ignored: one process cannot be replaced without a gap; see LANDBRIDGE_PROCESSES'))
  if (config.startedByNpm) watchParent(() => stop('npm was stopped', 0))

  try {
    const storage = await openStorage(config, log, {
      onLost: () => stop('the private Postgres cannot be restarted', 1),
    })
    closing.add('Postgres', storage.close, { seconds: 30 })
    const { addresses, ports, card } = await serve({ config, log, closing, lifecycle, storage, siblings: noSiblings })
    await storage.keepAddress(localAddress(config, ports.port))
    serving = true
    announce(addresses)
    if (card) console.log(card)
  } catch (error) {
    // Asked to stop meanwhile, it failed for that reason, and stop() ends the process.
    const isStopping = closing.begun
    if (!isStopping) reportFailedStart(error, log)
    await closing.close()
    if (!isStopping) process.exit(1)
  }
}
