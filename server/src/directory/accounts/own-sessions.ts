import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Context } from '../context.ts'
import * as store from '../store/sessions-sql.ts'
import { browserName } from './browser-name.ts'
import { type Session, validSince } from './sessions.ts'
import type { RequestSource } from './sign-in-events.ts'

export interface OwnSession extends Omit<store.ListedSession, 'user_agent'> {
  browser: string
  /** Whether it is the one that asks. */
  current: boolean
}

/** The one that asks is first, then the one that was used last. */
export async function listOwnSessions(context: Context, session: Session): Promise<OwnSession[]> {
  const rows = await store.listSessionsOf(context.sql, session.user_id, validSince(context))
  const listed = rows.map(({ user_agent, ...row }) => ({
    ...row,
    browser: browserName(user_agent),
    current: row.id === session.id,
  }))
  return [...listed.filter(({ current }) => current), ...listed.filter(({ current }) => !current)]
}

/** False when it is not one of this person, or has already ended. */
export async function endOwnSession(
  context: Context,
  session: Session,
  id: string,
  from: RequestSource,
): Promise<boolean> {
  return await transaction(context.sql, async (sql) => {
    if (!(await store.deleteSessionOf(sql, session.user_id, id))) return false
    const actor = { kind: 'user', id: session.user_id } as const
    await recordAudit(sql, { type: 'session.ended', at: context.now(), actor, details: { session_id: id, ...from } })
    return true
  })
}

/** All but the one that asks; returns how many. */
export async function endOtherSessions(context: Context, session: Session, from: RequestSource): Promise<number> {
  return await transaction(context.sql, async (sql) => {
    const sessions = await store.deleteOtherSessions(sql, session.user_id, session.digest)
    const actor = { kind: 'user', id: session.user_id } as const
    const details = { sessions, ...from }
    if (sessions > 0) await recordAudit(sql, { type: 'session.others_ended', at: context.now(), actor, details })
    return sessions
  })
}
