import type { FastifyRequest } from 'fastify'
import { holdApproval } from '../../authorization/consent/hold-approval.ts'
import type { Commander } from '../../devices/commands/create-commands.ts'
import { holdApiKey } from '../../directory/api-keys.ts'
import { findNames } from '../../directory/names.ts'
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
    hold: async (sql) => {
      if (!(await holdCredential(caller, sql))) throw notAuthorized('the credential has ended')
    },
  }
}

/** A person who leaves does not take their commands along: they were the organization's. */
async function holdCredential(
  { credential, customer_id, client_id, actor }: Caller,
  sql: Parameters<Commander['hold']>[0],
): Promise<boolean> {
  if (credential === 'session') return true
  if (credential === 'bearer') return await holdApproval(sql, customer_id, client_id!)
  return await holdApiKey(sql, (actor as { id: string }).id)
}
