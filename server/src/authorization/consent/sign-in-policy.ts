import { isForeignKeyViolation } from '../../platform/database/database.ts'
import { notFound } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { PolicyColumns } from '../store/approvals.ts'

/** Which users of a customer may connect an application; administrators always may. */
export type SignInPolicy = { kind: 'everyone' | 'administrators' } | { kind: 'group'; group_id: string }

export function policyColumns(policy: SignInPolicy): PolicyColumns {
  return { policy: policy.kind, group_id: policy.kind === 'group' ? policy.group_id : null }
}

/** As a form sends it: `everyone`, `administrators` or the id of a group. Null when it is none of them. */
export function readPolicy(text: string): SignInPolicy | null {
  if (text === 'everyone' || text === 'administrators') return { kind: text }
  return isId(text) ? { kind: 'group', group_id: text } : null
}

/** For a statement that stores a policy: the group is another customer's, or was deleted meanwhile. */
export function refuseUnknownGroup(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound('group') : error
}
