import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import type { StoredClient } from '../store/clients.ts'
import { type AskedRefresh, type FoundRefresh, type FoundRefreshToken, findRefreshes } from '../store/refresh-tokens.ts'
import { listSigningKeys, type SigningKey } from '../store/signing-keys.ts'
import { grantUseStaleAt } from './last-used.ts'

/** All that a refresh is judged by, read at one instant and for many refreshes at once. Reading is not judging. */
export interface RefreshReading {
  /** Of the token that was shown. */
  digest: Buffer
  client: StoredClient | null
  token: FoundRefreshToken | null
  keys: SigningKey[]
}

export async function readRefresh(context: Context, clientId: string, token: string): Promise<RefreshReading> {
  const client_id = isId(clientId) ? clientId : nobody
  return await read(context)({ client_id, digest: isWellFormed('refresh_token', token) ? digest(token) : noToken })
}

const nobody = '00000000-0000-0000-0000-000000000000'
const noToken = Buffer.alloc(32)

const read = perContext((context: Context) =>
  coalesce<AskedRefresh, RefreshReading>(async (asked) => {
    const at = context.now()
    const [rows, keys] = await Promise.all([
      findRefreshes(context.hot, asked, { at, usedBefore: grantUseStaleAt(at) }),
      listSigningKeys(context.hot),
    ])
    return rows.map((row, index) => toReading(asked[index]!, row, keys))
  }),
)

function toReading({ digest }: AskedRefresh, row: FoundRefresh, keys: SigningKey[]): RefreshReading {
  const { asked_client_id: client_id, enabled, id_token_alg, secrets, ...token } = row
  return {
    digest,
    client: enabled === null ? null : { client_id, enabled, id_token_alg: id_token_alg!, secrets },
    token: token.grant_id === null ? null : (token as FoundRefreshToken),
    keys,
  }
}
