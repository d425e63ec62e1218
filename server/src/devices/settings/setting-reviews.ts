import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import * as store from '../store/setting-reviews-sql.ts'
import { listOfModel } from '../store/statuses.ts'
import { judgeAgain } from './settings-lists.ts'

/** The topic of the notification that `review_settings` sends. */
export const reviewTopic = 'settings.review'

const devicesAtOnce = 500
const batchesPerRun = 20
/** No change of settings takes so long: one that read a model or template before it changed is found by the second pass. */
const repeatMilliseconds = 60_000
const firstId = '00000000-0000-0000-0000-000000000000'

/** Decision 7.95: judges devices again whose model, templates or spaces have changed. */
export function settingReviewsJob(context: BaseContext): SharedJob {
  return {
    name: 'reviews of settings',
    everySeconds: 60,
    wakeOn: reviewTopic,
    nextDue: () => store.findNextReview(context.sql),
    async runShared() {
      // A batch per transaction, so that messages wait for a moment only; the next run goes on with the rest.
      for (let batch = 0; batch < batchesPerRun && (await carryOn(context)); ) batch += 1
    },
  }
}

async function carryOn({ sql, now }: BaseContext): Promise<boolean> {
  return await transaction(sql, async (tx) => {
    const at = now()
    const review = await store.takeReview(tx, at)
    if (!review) return false
    const ids =
      review.customer_id === store.everyCustomer
        ? await listOfModel(tx, review.model_id, { after: review.after, limit: devicesAtOnce })
        : await store.listOfCustomersModel(tx, review, devicesAtOnce)
    await judgeAgain(tx, ids)
    const isDone = ids.length < devicesAtOnce
    if (!isDone) await store.continueReview(tx, { ...review, after: ids.at(-1)! }, at)
    else if (review.repeated) await store.endReview(tx, review)
    else {
      const second = new Date(at.getTime() + repeatMilliseconds)
      await store.continueReview(tx, { ...review, after: firstId, repeated: true }, second)
    }
    return true
  })
}
