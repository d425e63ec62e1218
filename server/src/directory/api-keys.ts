import { type Actor, recordAudit } from '../events/audit.ts'
import type { BaseContext } from '../platform/context.ts'
import { coalesce } from '../platform/database/coalesce.ts'
import { transaction } from '../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/http/pagination.ts'
import { requireRoom } from '../platform/quotas.ts'
import { found } from '../platform/refusal.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { digest, hint, isWellFormed, mintSecret } from '../platform/secrets/secrets.ts'
import { fullRights, type PeopleActor, requireRight } from './accounts/people-rights.ts'
import { revokeLinksForCustomers } from './accounts/revoked-links.ts'
import * as store from './store/api-keys-sql.ts'
import { lockCustomer } from './store/customers-sql.ts'
import { lockPartner } from './store/partners-sql.ts'

/** The key is returned only once: its digest alone is stored. */
export async function createApiKey(
  context: BaseContext,
  actor: PeopleActor,
  owner: store.KeyOwner,
  name: string,
): Promise<store.ApiKey & { key: string }> {
  const key = mintSecret('api_key')
  const created_by = actor.kind === 'user' ? actor.id : null
  const apiKey = { id: newId(), name, hint: hint(key), created_by, created_at: context.now() }
  await transaction(context.sql, async (sql) => {
    if ('customer_id' in owner) await lockCustomer(sql, owner.customer_id)
    else await lockPartner(sql, owner.partner_id)
    await requireRight(sql, fullRights(actor), owner)
    await requireRoom(context, sql, 'api_keys', { tenant: owner, count: () => store.countApiKeys(sql, owner) })
    await store.insertApiKey(sql, owner, { ...apiKey, digest: digest(key) })
    const details = { api_key_id: apiKey.id, name, hint: apiKey.hint }
    await recordAudit(sql, { type: 'api_key.created', at: apiKey.created_at, actor, ...owner, details })
  })
  return { ...apiKey, last_used_at: null, key }
}

/** Live keys only; a revoked one is in the audit log. */
export async function listApiKeys(
  context: BaseContext,
  owner: store.KeyOwner,
  request: PageRequest,
): Promise<Page<store.ApiKey>> {
  const range = pageRange(request)
  return toPage(await store.listApiKeys(context.sql, owner, range), range, ({ id }) => id)
}

export async function getApiKey(context: BaseContext, owner: store.KeyOwner, id: string): Promise<store.ApiKey> {
  return found(await store.findApiKey(context.sql, owner, id), 'API key')
}

export async function revokeApiKey(
  context: BaseContext,
  actor: Actor,
  owner: store.KeyOwner,
  id: string,
): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const key = found(await store.revokeApiKey(sql, owner, id, at), 'API key')
    const details = { api_key_id: id, name: key.name, hint: key.hint }
    await recordAudit(sql, { type: 'api_key.revoked', at, actor, ...owner, details })
    if ('customer_id' in owner) {
      await revokeLinksForCustomers(sql, { kind: 'api_key', id }, [owner.customer_id], { at, actor })
    }
  })
}

/** The key's owner, or null. Never cached: a revoked key fails from the next request on, on every process (decision 9.2). */
export async function checkApiKey(context: ApiKeyLookUp, key: string): Promise<store.KeyHolder | null> {
  if (!isWellFormed('api_key', key)) return null
  return await context.findApiKey(digest(key))
}

export interface ApiKeyLookUp {
  findApiKey: ReturnType<typeof createApiKeyLookUp>
}

/** "Last used" is precise to a minute, so that most requests write nothing. */
const staleAfterMilliseconds = 60_000

export function createApiKeyLookUp({ sql, hot, now, log }: BaseContext) {
  const touch = coalesce<string, null>(async (ids) => {
    await store.touchApiKeys(sql, [...new Set(ids)], now())
    return ids.map(() => null)
  })
  return coalesce<Buffer, store.KeyHolder | null>(
    async (digests) => {
      const at = now()
      const found = await store.findApiKeys(hot, digests, at)
      for (const { id, last_used_at } of found) {
        if (last_used_at && at.getTime() - last_used_at.getTime() < staleAfterMilliseconds) continue
        touch(id).catch((error) => log.warn({ err: error }, 'last use of an API key not recorded'))
      }
      const byDigest = new Map(found.map((key) => [key.digest.toString('latin1'), key]))
      return digests.map((wanted) => {
        const { digest: _, last_used_at: __, ...holder } = byDigest.get(wanted.toString('latin1')) ?? { id: null }
        return holder.id === null ? null : (holder as store.KeyHolder)
      })
    },
    { atOnce: 2 },
  )
}
