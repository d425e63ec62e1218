import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { found, Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { belongsOnlyTo, findMember } from '../store/memberships.ts'
import { findUser } from '../store/users-sql.ts'
import { type PeopleRights, requireMayChange, requireRight } from './people-rights.ts'
import { endSessionsOf } from './sessions.ts'

export interface EndedSessions {
  sessions: number
}

/** By the operator, for any user. */
export async function endSessionsOfUser(context: Context, actor: Actor, userId: string): Promise<EndedSessions> {
  return await transaction(context.sql, async (sql) => {
    found(await findUser(sql, userId), 'user')
    const sessions = await endSessionsOf(sql, userId)
    const details = { user_id: userId, sessions }
    await recordAudit(sql, { type: 'user.sessions_ended', at: context.now(), actor, details })
    return { sessions }
  })
}

/**
 * By an administrator: only of a person who belongs to this customer alone. A session is not one of a customer, and nobody
 * may sign a person out of another one; deactivating or removing a member ends what they may do here at once.
 */
export async function endSessionsOfMember(
  context: Context,
  rights: PeopleRights,
  customerId: string,
  userId: string,
): Promise<EndedSessions> {
  return await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, { customer_id: customerId })
    const member = found(await findMember(sql, customerId, userId), 'user')
    await requireMayChange(sql, rights, member)
    if (!(await belongsOnlyTo(sql, customerId, userId))) {
      const sentence =
        'This person also belongs to other organizations, so only the operator can sign them out. Deactivate the person instead: it counts at once.'
      throw new Refusal(403, 'belongs_elsewhere', sentence)
    }
    const sessions = await endSessionsOf(sql, userId)
    const event = { at: context.now(), actor: rights.actor, customer_id: customerId }
    await recordAudit(sql, { ...event, type: 'member.sessions_ended', details: { user_id: userId, sessions } })
    return { sessions }
  })
}
