import type { Page } from '../../platform/http/pagination.ts'
import type { Context } from '../context.ts'
import type { SecondFactor } from '../store/factor-facts-sql.ts'
import * as store from '../store/factor-policy-sql.ts'
import type { Member } from '../store/memberships.ts'
import { judgeFactor } from './factor-judgement.ts'
import { findMembers, type MemberQuery } from './member-lists.ts'
import { listMembers } from './members.ts'

export interface PendingReset {
  asked_by: string
  asked_by_name: string
  asked_at: Date
  takes_effect_at: Date
}

interface MemberWithFactor extends Member {
  second_factor: SecondFactor | null
  /** Until when the person has to have one; null: it is not required, or they have one. */
  second_factor_due_at: Date | null
  second_factor_reset: PendingReset | null
}

/** For administrators: what people sign in with is nobody else's business. */
export async function listMembersWithFactors(
  context: Context,
  customerId: string,
  query: MemberQuery,
): Promise<Page<MemberWithFactor>> {
  const { search, sort, second_factor, ...page } = query
  // A plain page is a range of an index, however many people there are.
  const isPlain = search === undefined && sort === undefined && second_factor === undefined
  const found = isPlain ? listMembers(context, customerId, page) : findMembers(context, customerId, query)
  const { items, next } = await found
  const ids = items.map(({ id }) => id)
  const rows = await store.listFactorsOf(context.sql, customerId, ids)
  const factors = new Map(rows.map((row) => [row.user_id, row]))
  return { items: items.flatMap((member) => withFactor(member, factors.get(member.id)) ?? []), next }
}

/** Undefined for one who left in between. */
function withFactor(member: Member, row: store.FactorsOfMember | undefined): MemberWithFactor | undefined {
  if (!row) return undefined
  const demand = judgeFactor(row, [])
  const { reset } = row
  return {
    ...member,
    second_factor: row.second_factor,
    second_factor_due_at: demand?.step === 'set_up' ? demand.due_at : null,
    second_factor_reset: reset && {
      ...reset,
      asked_at: new Date(reset.asked_at),
      takes_effect_at: new Date(reset.takes_effect_at),
    },
  }
}
