import type { BaseContext } from '../platform/context.ts'
import { coalesce } from '../platform/database/coalesce.ts'
import { digest, isWellFormed } from '../platform/secrets/secrets.ts'
import * as store from './store/api-keys-sql.ts'

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
