import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { processLimits } from './platform/own-limits.ts'
import { Closing } from './platform/process/closing.ts'
import { onReload } from './platform/process/hang-up.ts'
import { reportFailedStart } from './platform/process/start-failure.ts'
import { connectToSupervisor } from './platform/process/supervised.ts'
import { type Served, serve } from './serve.ts'

/** One of several processes that serve on the same ports; the supervisor has opened what exists once. */
export async function serveSupervised(shared: Config, sharedLog: Logger): Promise<void> {
  const supervisor = await connectToSupervisor(shared.processes)
  const { order } = supervisor
  const config = { ...shared, ...order.ports, lab: order.lab }
  const log = sharedLog.child({ process: order.number })
  const closing = new Closing(log)
  const lifecycle = { draining: false, retiring: false }
  let served: Served | undefined

  async function stop(): Promise<never> {
    await closing.close()
    // What was counted since the last scrape would otherwise be lost.
    if (served) await supervisor.sendLastReport(await served.context.metrics.report('counted'))
    process.exit(0)
  }

  async function drainAndStop(): Promise<never> {
    if (served && !lifecycle.draining) {
      lifecycle.draining = true
      await sleep(config.drainSeconds * 1000)
    }
    return await stop()
  }

  async function retireAndStop(): Promise<never> {
    lifecycle.retiring = true
    await served?.retire(Math.max(processLimits.retireSeconds, config.drainSeconds))
    return await stop()
  }

  supervisor.onLeave((how) => void (how === 'stop' ? drainAndStop() : retireAndStop()))
  process.on('SIGTERM', () => void drainAndStop())
  // A terminal sends these to all processes, and the supervisor says what to do.
  process.on('SIGINT', () => {})
  onReload(() => {})

  try {
    const { databaseUrl, folder } = order
    const keys = { master: Buffer.from(order.masterKey, 'base64'), operator: order.operatorKey }
    const storage = { databaseUrl, folder, keys }
    const { siblings } = supervisor
    served = await serve({ config, log, closing, lifecycle, storage, siblings })
    const { context, ports, card } = served
    supervisor.onReport(() => context.metrics.report('all'))
    supervisor.sendServing({ ports, card })
  } catch (error) {
    const isStopping = closing.begun
    if (!isStopping) reportFailedStart(error, log)
    await closing.close()
    process.exit(isStopping ? 0 : 1)
  }
}
