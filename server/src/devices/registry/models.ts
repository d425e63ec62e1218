import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { wordsOf } from '../../platform/words.ts'
import type { Context } from '../context.ts'
import { deadlinesDueTopic } from '../live/topics.ts'
import * as store from '../store/models-sql.ts'
import { listOfModel } from '../store/statuses.ts'
import { rearmDeadlines } from '../telemetry-store/telemetry-store.ts'
import { createHardwareKey } from './hardware-keys.ts'

export { authenticationMethod, findModelsOf, type Model, type ModelChange } from '../store/models-sql.ts'

/** Decision 7.10. */
const defaultOfflineAfterSeconds = 120

export interface NewModel {
  name: string
  authentication_method: typeof store.authenticationMethod
  offline_after_seconds?: number | undefined
}

export interface CreatedModel extends store.Model {
  /** The first on the model's Hardware Keys tab. */
  hardware_key: string
}

export async function createModel(
  context: Context,
  actor: Actor,
  partnerId: string,
  input: NewModel,
): Promise<CreatedModel> {
  const at = context.now()
  const model: store.Model = {
    id: newId(),
    partner_id: partnerId,
    name: input.name,
    authentication_method: input.authentication_method,
    offline_after_seconds: input.offline_after_seconds ?? defaultOfflineAfterSeconds,
    created_at: at,
  }
  return await transaction(context.sql, async (sql) => {
    const count = () => store.countModels(sql, partnerId)
    await requireRoom(context, sql, 'models', { tenant: { partner_id: partnerId }, count })
    await store.insertModel(sql, model)
    const { hardware_key } = await createHardwareKey(context, sql, model.id)
    await recordAudit(sql, {
      type: 'model.created',
      at,
      actor,
      partner_id: partnerId,
      details: { model_id: model.id, name: model.name },
    })
    return { ...model, hardware_key }
  })
}

/** With a search, one page: the closest names first. */
export interface ModelQuery extends PageRequest {
  search?: string | undefined
}

/** Another partner's model is reported as unknown. */
export async function getModel(context: Context, partnerId: string, id: string): Promise<store.Model> {
  return found(await store.findModel(context.sql, partnerId, id), 'model')
}

export async function listModels(context: Context, partnerId: string, request: ModelQuery): Promise<Page<store.Model>> {
  const range = pageRange(request)
  const words = wordsOf(request.search ?? '')
  if (words.length > 0)
    return { items: await store.searchModels(context.sql, partnerId, words, range.limit - 1), next: null }
  return toPage(await store.listModels(context.sql, partnerId, range), range, ({ id }) => id)
}

/** A customer may claim devices of any partner's model (decision 6.8). */
export async function listClaimableModels(context: Context, request: ModelQuery): Promise<Page<store.ClaimableModel>> {
  const range = pageRange(request)
  const words = wordsOf(request.search ?? '')
  if (words.length > 0) return { items: await store.searchAllModels(context.sql, words, range.limit - 1), next: null }
  return toPage(await store.listAllModels(context.sql, range), range, ({ id }) => id)
}

export async function getClaimableModel(context: Context, id: string): Promise<store.ClaimableModel> {
  return found(await store.findClaimableModel(context.sql, id), 'model')
}

export async function changeModel(
  context: Context,
  actor: Actor,
  partnerId: string,
  id: string,
  change: store.ModelChange,
  ifMatch?: string,
): Promise<store.Model> {
  return await transaction(context.sql, async (sql) => {
    if (!(await store.lockModel(sql, partnerId, id))) throw notFound('model')
    requireMatch(ifMatch, (await store.findModel(sql, partnerId, id))!)
    const model = await store.updateModel(sql, id, change)
    if (change.offline_after_seconds !== undefined) {
      await rearmModel(sql, id, context.now())
      await context.notifications.publish(sql, deadlinesDueTopic, [id])
    }
    await recordAudit(sql, {
      type: 'model.changed',
      at: context.now(),
      actor,
      partner_id: partnerId,
      details: { model_id: id, fields: Object.keys(change) },
    })
    return model
  })
}

const devicesAtOnce = 5_000

/** Makes every deadline of a model due: its threshold may have become shorter. */
async function rearmModel(sql: Sql, modelId: string, at: Date): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const ids = await listOfModel(sql, modelId, { after, limit: devicesAtOnce })
    if (ids.length > 0) await rearmDeadlines(sql, ids, at)
    if (ids.length < devicesAtOnce) return
    after = ids.at(-1)!
  }
}
