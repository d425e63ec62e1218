// Environment → config → one process that serves, or a supervisor and several. Each loads only what it needs.
import cluster from 'node:cluster'
import { readConfig } from './config.ts'
import { createLog } from './platform/log.ts'

const { config, faults, unknown } = readConfig(process.env)
if (faults.length > 0) {
  for (const { variable, message } of faults) console.error(`${variable} ${message}`)
  process.exit(2)
}

const log = createLog(config.logLevel)
if (cluster.isWorker) {
  const { serveSupervised } = await import('./serve-supervised.ts')
  await serveSupervised(config, log)
} else {
  if (unknown.length > 0) log.warn({ variables: unknown }, `unknown variables, ignored: ${unknown.join(', ')}`)
  if (config.processes === 1) {
    const { serveAlone } = await import('./serve-alone.ts')
    await serveAlone(config, log)
  } else {
    const { supervise } = await import('./supervise.ts')
    await supervise(config, log)
  }
}
