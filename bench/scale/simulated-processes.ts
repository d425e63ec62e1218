// Processes that receive telemetry, simulated in this one: each has its own context, queue and connections, and runs the
// code of the service from the parsed body on. Only HTTP and MQTT are left out.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../../server/src/config.ts'
import { type Context, createContext } from '../../server/src/context.ts'
import { createTelemetryPipeline, type PipelineOptions } from '../../server/src/devices/telemetry/telemetry-pipeline.ts'
import { openDatabase, openHotPool } from '../../server/src/platform/database/database.ts'
import { noSiblings } from '../../server/src/platform/process/siblings.ts'
import { masterKey, operatorKey } from '../environment.ts'

export interface Arrangement {
  cells: number
  processesPerCell: number
  /** Whether the processes of a cell hand their messages to one of them. */
  writers: boolean
  pipeline: PipelineOptions
}

export interface SimulatedProcesses {
  /** By cell. */
  contexts: Context[][]
  statements(): { count: number; messages: number }
  close(): Promise<void>
}

export async function startProcesses(databaseUrl: string, arrangement: Arrangement): Promise<SimulatedProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-bench-'))
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)
  const started = indexes(arrangement.cells).map((cell) =>
    indexes(arrangement.processesPerCell).map((number) =>
      startProcess(databaseUrl, arrangement, (one: number) => join(folder, `${cell}-${one}.sock`), number),
    ),
  )
  const all = started.flat()
  return {
    contexts: started.map((cell) => cell.map(({ context }) => context)),
    statements() {
      const sizes = all.map(({ context }) => context.messageCounters.batchSizes)
      const count = sizes.flatMap(({ counts }) => counts).reduce((sum, value) => sum + value, 0)
      return { count, messages: sizes.reduce((sum, size) => sum + size.sum, 0) }
    },
    async close() {
      for (const { close } of all.toReversed()) await close()
      await rm(folder, { recursive: true })
    },
  }
}

function startProcess(url: string, arrangement: Arrangement, socketOf: (number: number) => string, number: number) {
  const { config, faults } = readConfig({
    DATABASE_URL: url,
    LANDBRIDGE_MASTER_KEY: masterKey,
    LANDBRIDGE_OPERATOR_KEY: operatorKey,
  })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  const sql = openDatabase({ url, max: 2 })
  const hot = openHotPool(sql, { max: 2 })
  const handOver = arrangement.writers ? { own: socketOf(number), writer: () => socketOf(0) } : null
  const now = () => new Date()
  const whole = createContext({
    config,
    addresses: { publicUrl: '', entryUrl: '', hubUrl: '', mqttUrl: '', staticCertUrl: '' },
    ...{ sql, hot, reads: sql, clock: { now, problem: () => null, compare: async () => {} } },
    lifecycle: { draining: false, retiring: false },
    disk: { isFull: () => false, free: () => null, reportFull() {} },
    siblings: noSiblings,
    log: pino({ level: 'error' }),
    tracing: null,
    keys: { master: Buffer.from(masterKey, 'base64'), operator: operatorKey },
    passwordCost: { memory: 64, passes: 1, parallelism: 1 },
  })
  const metrics = { ...whole.metrics, gauge: () => {} }
  const base = { ...whole, metrics, siblings: { ...noSiblings, handOver } }
  const telemetry = createTelemetryPipeline(base, whole.statuses, arrangement.pipeline)
  return {
    context: { ...base, telemetry },
    async close() {
      await telemetry.close()
      await whole.telemetry.close()
      await whole.notifications.close()
      await Promise.all([hot, sql].map((pool) => pool.end({ timeout: 1 })))
    },
  }
}
