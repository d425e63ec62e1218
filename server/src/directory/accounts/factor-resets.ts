import { type Actor, type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Job, SharedJob } from '../../platform/jobs.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { conflict, found, notFound, Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { findSecondFactor } from '../store/factor-policy-sql.ts'
import * as store from '../store/factor-resets-sql.ts'
import { belongsOnlyTo, findAdministered, findMember } from '../store/memberships.ts'
import { findUser, lockUser } from '../store/users-sql.ts'
import { removeAllFactors } from './factors/factors.ts'
import { type ResetNews, resetMailToAdministrator, resetMailToPerson } from './mails/factor-reset-mails.ts'
import { homeOf } from './mails/home.ts'
import { fullRights, type PeopleActor, requireRight } from './people-rights.ts'
import { endSessionsOf } from './sessions.ts'

export type PendingFactorReset = Pick<store.FactorReset, 'asked_at' | 'takes_effect_at'>

/** Every order of locks is customer, person, reset. */
interface Target {
  /** Null for the operator, who resets anybody. */
  customerId: string | null
  userId: string
}

/** Ends the person's sessions now and removes their factors in 24 hours (decision 6.68). */
export async function askFactorReset(
  context: Context,
  actor: PeopleActor,
  target: Target,
): Promise<PendingFactorReset> {
  const { customerId, userId } = target
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await requireMayReset(sql, actor, target)
    await lockUser(sql, userId)
    if ((await findSecondFactor(sql, userId)) === null)
      throw conflict('no_second_factor', 'This person has no second factor.')
    const takes_effect_at = new Date(at.getTime() + lifetimes.factorResetMilliseconds)
    const asked_by = actor.kind === 'user' ? actor.id : null
    const reset = { user_id: userId, customer_id: customerId, asked_by, asked_at: at, takes_effect_at }
    if (!(await store.insertFactorReset(sql, reset)))
      throw conflict('reset_pending', 'A reset of this person’s second factors is pending already.')
    await endSessionsOf(sql, userId)
    await record(sql, context, actor, reset, 'requested')
    await mail(context, sql, reset, 'requested')
    return { asked_at: at, takes_effect_at }
  })
}

async function requireMayReset(sql: Sql, actor: PeopleActor, { customerId, userId }: Target): Promise<void> {
  if (customerId === null) {
    if (!(await findUser(sql, userId))) throw notFound('user')
    return
  }
  await lockCustomer(sql, customerId)
  await requireRight(sql, fullRights(actor), { customer_id: customerId })
  if (!(await findMember(sql, customerId, userId))) throw notFound('user')
  if ('id' in actor && actor.id === userId) throw ownFactors()
  if (!(await belongsOnlyTo(sql, customerId, userId))) {
    const sentence =
      'This person also belongs to other organizations. Only the operator can reset their second factors.'
    throw new Refusal(403, 'belongs_elsewhere', sentence)
  }
}

function ownFactors(): Refusal {
  const sentence = 'You cannot reset your own second factors. Another administrator can.'
  return new Refusal(403, 'own_second_factors', sentence)
}

/** By a second administrator: neither who asked, nor whose factors they are. */
export async function confirmFactorReset(
  context: Context,
  actor: Extract<PeopleActor, { kind: 'user' }>,
  { customerId, userId }: { customerId: string; userId: string },
): Promise<void> {
  const ended = await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, fullRights(actor), { customer_id: customerId })
    await lockUser(sql, userId)
    const reset = found(await store.takeFactorReset(sql, userId, { customerId }), 'reset')
    if (actor.id === userId) throw ownFactors()
    if (actor.id === reset.asked_by) {
      const sentence = 'You asked for this reset. A second administrator has to confirm it.'
      throw new Refusal(403, 'second_administrator_needed', sentence)
    }
    if (!(await isStillRight(sql, reset))) {
      await cancel(context, sql, actor, reset)
      return true
    }
    await record(sql, context, actor, reset, 'confirmed')
    await apply(context, sql, reset)
    return false
  })
  // Outside of the transaction, which has cancelled it.
  if (ended) throw conflict('reset_ended', 'Who asked for this reset may no longer do so. Ask for it again.')
}

/** By any administrator of the customer that asked, or by the operator. */
export async function cancelFactorReset(context: Context, actor: PeopleActor, { customerId, userId }: Target) {
  await transaction(context.sql, async (sql) => {
    if (customerId !== null) {
      await lockCustomer(sql, customerId)
      await requireRight(sql, fullRights(actor), { customer_id: customerId })
    }
    const reset = found(await store.takeFactorReset(sql, userId, { customerId }), 'reset')
    await cancel(context, sql, actor, reset)
  })
}

/** By the person, who has signed in with a factor that was not lost; in that transaction. */
export async function cancelOwnFactorReset(context: Context, sql: Sql, userId: string): Promise<void> {
  const reset = await store.takeFactorReset(sql, userId)
  if (reset) await cancel(context, sql, { kind: 'user', id: userId }, reset)
}

async function cancel(context: Context, sql: Sql, actor: Actor, reset: store.FactorReset): Promise<void> {
  await record(sql, context, actor, reset, 'cancelled')
  await mail(context, sql, reset, 'cancelled')
}

/** The operator's always; an administrator's only while they could ask for it. */
async function isStillRight(sql: Sql, { customer_id, asked_by, user_id }: store.FactorReset): Promise<boolean> {
  if (customer_id === null || asked_by === null) return true
  const administers = await findAdministered(sql, asked_by, customer_id)
  return administers.length > 0 && (await belongsOnlyTo(sql, customer_id, user_id))
}

async function apply(context: Context, sql: Sql, reset: store.FactorReset): Promise<void> {
  await removeAllFactors(sql, reset.user_id)
  await endSessionsOf(sql, reset.user_id)
  await record(sql, context, { kind: 'system' }, reset, 'applied')
  await mail(context, sql, reset, 'applied')
}

const batch = 100

/** Applies what is due, once, however many processes look. */
export function factorResetsJob(context: Context): SharedJob {
  const job: SharedJob & Pick<Job, 'nextDue'> = {
    name: 'resets of second factors',
    everySeconds: 60,
    nextDue: () => store.findNextReset(context.sql),
    async runShared() {
      const at = context.now()
      for (const userId of await store.listDueResets(context.sql, at, batch)) await settleDue(context, userId, at)
    },
  }
  return job
}

async function settleDue(context: Context, userId: string, at: Date): Promise<void> {
  await transaction(context.sql, async (sql) => {
    await lockUser(sql, userId)
    const reset = await store.takeFactorReset(sql, userId, { dueAt: at })
    if (!reset) return
    if (await isStillRight(sql, reset)) await apply(context, sql, reset)
    else await cancel(context, sql, { kind: 'system' }, reset)
  })
}

const types = {
  requested: 'member.second_factor_reset_requested',
  confirmed: 'member.second_factor_reset_confirmed',
  cancelled: 'member.second_factor_reset_cancelled',
  applied: 'member.second_factor_reset',
} as const

async function record(
  sql: Sql,
  { now }: Context,
  actor: Actor,
  { user_id, customer_id, takes_effect_at }: store.FactorReset,
  what: keyof typeof types,
): Promise<void> {
  const details = { user_id, ...(what === 'requested' ? { takes_effect_at: takes_effect_at.toISOString() } : {}) }
  const event: NewAuditEvent = { type: types[what], at: now(), actor, details }
  await recordAudit(sql, customer_id === null ? event : { ...event, customer_id })
}

const maxMailed = 20

/** To the person, and to the administrators who did not ask for it. */
async function mail(context: Context, sql: Sql, reset: store.FactorReset, news: ResetNews): Promise<void> {
  if (!context.mail.enabled) return
  const person = await findUser(sql, reset.user_id)
  if (!person) return
  const home = await homeOf(context, sql, person.id, null)
  const { customer_id, asked_by } = reset
  const administrators = customer_id === null ? [] : await store.listAdministrators(sql, customer_id, maxMailed)
  const others = administrators.filter(({ id }) => id !== asked_by && id !== person.id)
  await queueMail(context, sql, [
    resetMailToPerson(person, home, news),
    ...others.map(({ email }) => resetMailToAdministrator(email, person, home, news)),
  ])
}
