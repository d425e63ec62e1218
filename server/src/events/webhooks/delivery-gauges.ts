import type { Context } from '../context.ts'
import * as store from '../store/webhook-gauges.ts'

export { maxCounted, type UnhealthyEndpoints, type WebhookBacklog } from '../store/webhook-gauges.ts'

export async function readWebhookBacklog({ sql, now }: Context, signal: AbortSignal): Promise<store.WebhookBacklog> {
  return await store.readWebhookBacklog(sql, now(), signal)
}

export async function countUnhealthyEndpoints(
  { sql }: Context,
  signal: AbortSignal,
): Promise<store.UnhealthyEndpoints> {
  return await store.countUnhealthyEndpoints(sql, signal)
}
