import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { dictionaryLimits } from '../../platform/own-limits.ts'
import { smallestIdOf } from '../../platform/secrets/identifiers.ts'
import * as store from '../store/model-alarms-sql.ts'
import { listOfModel } from '../store/statuses.ts'
import { setAlarming } from '../telemetry-store/telemetry-store.ts'

/** Within a process: a dictionary has changed which values are alarms. */
export const alarmsChangedTopic = 'models.alarms_changed'

/** As a state has them. */
export function alarmingPairs(alarming: Record<string, unknown[]> | null): string[] | null {
  const pairs = Object.entries(alarming ?? {}).flatMap(([key, values]) =>
    values.map((value) => JSON.stringify({ [key]: value })),
  )
  return pairs.length > 0 && Buffer.byteLength(pairs.join()) <= dictionaryLimits.alarmBytes ? pairs : null
}

const devicesAtOnce = 1_000
const batchesPerRun = 20
/** No registration takes so long: one that read the dictionary before a change is found by the second pass. */
const registrationMilliseconds = 60_000
/** Ids have the time of the process that registered the device, whose clock may differ a little. */
const idMilliseconds = 10 * registrationMilliseconds

/** Decision 7.81: gives the states of a model's devices the values that its dictionary calls alarms. */
export function modelAlarmsJob(context: BaseContext): SharedJob {
  return {
    name: 'alarms of models',
    everySeconds: 60,
    wakeHere: alarmsChangedTopic,
    nextDue: () => store.findNextAlarmsDue(context.sql),
    async runShared() {
      // A batch per transaction, so that messages wait for a moment only; the next run goes on with the rest.
      for (let batch = 0; batch < batchesPerRun && (await carryOn(context)); ) batch += 1
    },
  }
}

async function carryOn({ sql, now }: BaseContext): Promise<boolean> {
  return await transaction(sql, async (tx) => {
    const at = now()
    const model = await store.takeDueModel(tx, at)
    if (!model) return false
    const ids = await listOfModel(tx, model.id, { after: model.after, limit: devicesAtOnce })
    if (ids.length > 0) await setAlarming(tx, ids, alarmingPairs(model.alarming))
    await store.setAlarmsProgress(tx, model.id, progress(model, ids, at))
    return true
  })
}

function progress({ changed_at }: store.DueModel, ids: string[], at: Date) {
  if (ids.length === devicesAtOnce) return { due_at: at, after: ids.at(-1)! }
  const second = new Date(changed_at.getTime() + registrationMilliseconds)
  if (second <= at) return { due_at: null, after: null }
  return { due_at: second, after: smallestIdOf(changed_at.getTime() - idMilliseconds) }
}
