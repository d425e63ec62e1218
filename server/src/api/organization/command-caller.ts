import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { holdApproval } from '../../authorization/consent/hold-approval.ts'
import type { Commander } from '../../devices/commands/create-commands.ts'
import { holdApiKey } from '../../directory/api-keys.ts'
import { mayCommandWithin, type StoredReach } from '../../directory/command-withdrawals.ts'
import { findNames } from '../../directory/names.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { notAuthorized } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { type Caller, callerOf, ownerOf } from './authenticate-organization.ts'

/** Who sends a command, as it is remembered with it. */
export async function commanderOf(context: Context, request: FastifyRequest): Promise<Commander> {
  const caller = callerOf(request)
  const { customer_id, actor } = caller
  const { kind, id } = actor as { kind: string; id: string }
  const names = await findNames(context, { customer_id }, [id])
  return {
    owner: ownerOf(request),
    actor,
    source: ({ session: 'portal', bearer: 'application', api_key: 'api_key' } as const)[caller.credential],
    created_by: { kind, id, name: names.find((named) => named.id === id)?.name ?? null },
    client_id: caller.credential === 'session' ? null : id,
    held: caller.grant_id ?? id,
    hold: async (sql) => {
      if (caller.credential === 'session') return
      const reach = await holdClient(caller, sql)
      if (!reach) throw notAuthorized('the credential has ended')
      const within = mayCommandWithin(reach)
      if (!isDeepStrictEqual(within, caller.within)) throw notAuthorized('what the credential may do has changed')
    },
  }
}

/** Not a person: whoever loses a role leaves the organization their commands (decision 7.91). */
async function holdClient(
  { credential, customer_id, client_id, grant_id, actor }: Caller,
  sql: Sql,
): Promise<StoredReach | null> {
  if (credential === 'api_key') return await holdApiKey(sql, (actor as { id: string }).id)
  return await holdApproval(sql, { customer_id, client_id: client_id!, grant_id: grant_id! })
}
