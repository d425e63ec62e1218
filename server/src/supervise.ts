import { rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { announce, localAddress } from './announce.ts'
import type { Config } from './config.ts'
import { addressesOf } from './platform/addresses.ts'
import { processLimits } from './platform/own-limits.ts'
import { Closing, watchParent } from './platform/process/closing.ts'
import { createHandOverFolder } from './platform/process/hand-over-folder.ts'
import { onReload } from './platform/process/hang-up.ts'
import { reportFailedStart } from './platform/process/start-failure.ts'
import { openStorage } from './platform/process/storage.ts'
import { Supervisor } from './platform/process/supervisor.ts'

/** Opens what exists once (data folder, Postgres), and keeps `config.processes` processes serving. It serves nothing itself. */
export async function supervise(config: Config, log: Logger): Promise<void> {
  const closing = new Closing(log)
  let supervisor: Supervisor | undefined

  async function stop(why: string, exitCode: number): Promise<never> {
    // A second signal skips the drain.
    if (closing.begun) supervisor?.skipDrain()
    else log.info({ why }, 'stopping')
    await closing.close()
    log.info('stopped')
    process.exit(exitCode)
  }

  process.on('SIGTERM', () => void stop('SIGTERM', 0))
  process.on('SIGINT', () => {
    supervisor?.skipDrain()
    void stop('SIGINT', 0)
  })
  onReload(() => supervisor?.reload())
  if (config.startedByNpm) watchParent(() => void stop('npm was stopped', 0))

  try {
    const storage = await openStorage(config, log, {
      onLost: () => void stop('the private Postgres cannot be restarted', 1),
    })
    closing.add('Postgres', storage.close, { seconds: 30 })
    const handOverFolder = config.cell === null ? null : await createHandOverFolder(log)
    if (handOverFolder) closing.add('hand-over', () => rm(handOverFolder, { recursive: true }), { seconds: 1 })
    const { port, mqttsPort, staticCertPort, processes, lab, drainSeconds } = config
    supervisor = new Supervisor({
      processes,
      log,
      stopSeconds: drainSeconds + processLimits.stopSeconds,
      order: {
        databaseUrl: storage.databaseUrl,
        folder: storage.folder,
        masterKey: storage.keys.master.toString('base64'),
        operatorKey: storage.keys.operator,
        handOverFolder,
      },
      ports: { port, mqttsPort, staticCertPort },
      lab,
    })
    closing.add('processes', () => supervisor!.stop(), { seconds: drainSeconds + processLimits.stopSeconds + 5 })
    const serving = await supervisor.start()
    closing.requireOpen()
    if (!serving) return await stop('a process cannot start', 1)
    const { ports, card } = serving
    await storage.keepAddress(localAddress(config, ports.port))
    announce(addressesOf(config, { http: ports.port, mqtts: ports.mqttsPort, staticCert: ports.staticCertPort }))
    if (card) console.log(card)
  } catch (error) {
    const isStopping = closing.begun
    if (!isStopping) reportFailedStart(error, log)
    await closing.close()
    if (!isStopping) process.exit(1)
  }
}
