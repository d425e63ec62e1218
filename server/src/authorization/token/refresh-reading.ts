import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import type { StoredClient } from '../store/clients.ts'
import * as store from '../store/refresh-tokens.ts'
import { grantUseStaleAt } from './grants.ts'

/** Everything a refresh is judged by, read in one statement for many refreshes at once. */
export interface FoundRefresh {
  /** The digest of the presented token. */
  digest: Buffer
  client: StoredClient | null
  token: store.FoundRefreshToken | null
  keys: store.KeyTimes[]
}

export interface RefreshLookUp {
  findRefresh: ReturnType<typeof createRefreshLookUp>
}

export async function readRefresh(context: RefreshLookUp, clientId: string, token: string): Promise<FoundRefresh> {
  return await context.findRefresh({
    client_id: isId(clientId) ? clientId : noClient,
    digest: isWellFormed('refresh_token', token) ? digest(token) : noToken,
  })
}

const noClient = '00000000-0000-0000-0000-000000000000'
const noToken = Buffer.alloc(32)

export function createRefreshLookUp(context: BaseContext) {
  return coalesce<store.RefreshLookup, FoundRefresh>(async (lookups) => {
    const at = context.now()
    const times = { at, usedBefore: grantUseStaleAt(at) }
    const { rows, keys } = await store.findRefreshes(context.hot, lookups, times)
    return rows.map((row, index) => toFound(lookups[index]!, row, keys))
  })
}

function toFound({ digest }: store.RefreshLookup, row: store.RefreshRow, keys: store.KeyTimes[]): FoundRefresh {
  const { presented_client_id: client_id, enabled, id_token_alg, secrets } = row
  return {
    digest,
    client: enabled === null ? null : { client_id, enabled, id_token_alg: id_token_alg!, secrets },
    // The row itself: copying its columns would cost more than the rest of this function.
    token: row.grant_id === null ? null : (row as store.FoundRefreshToken),
    keys,
  }
}
