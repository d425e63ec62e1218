import type { BaseContext } from '../../platform/context.ts'
import type { Job } from '../../platform/jobs.ts'
import { storedFor } from '../../platform/own-limits.ts'
import { deleteOldCommands } from '../telemetry-store/telemetry-store.ts'

const batch = 5_000
/** The job's transaction must end; what is left goes in its next run. */
const maxBatches = 100

export function deleteOldCommandsJob({ now }: Pick<BaseContext, 'now'>): Job {
  return {
    name: 'old commands',
    everySeconds: 600,
    async run(sql) {
      const age = { now: now(), milliseconds: storedFor.commandMilliseconds }
      let batches = 1
      while ((await deleteOldCommands(sql, age, batch)) >= batch && batches < maxBatches) batches += 1
    },
  }
}
