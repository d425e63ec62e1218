import type { SharedJob } from '../../platform/jobs.ts'
import type { MailSettings } from '../../platform/mail-settings.ts'
import { mailLimits, storedFor } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import * as store from '../store/mails-sql.ts'
import { judgeMail, type MailVerdict } from './mail-judgement.ts'
import { openContent } from './mail-queue.ts'
import type { MailContent } from './new-mail.ts'
import { attemptMail, type MailOutcome } from './smtp-attempt.ts'

/** Longer than the longest attempt, so that no other process claims the mail meanwhile; after a kill, it waits as long. */
const leaseMs = mailLimits.attemptMilliseconds + 30_000
const batch = 1_000

export async function claimMails(context: Context, limit: number): Promise<store.ClaimedMail[]> {
  const now = context.now()
  return await store.claimDueMails(context.sql, { now, leaseUntil: new Date(now.getTime() + leaseMs), limit })
}

/** Returns what came of the attempt; null when the mail server was not asked. */
export async function deliverMail(
  context: Context,
  mail: store.ClaimedMail,
  signal?: AbortSignal,
): Promise<MailOutcome['kind'] | null> {
  const ready = prepare(context, mail)
  const outcome = 'failure' in ready ? ready : await attemptMail(ready.settings, { ...mail, ...ready }, { signal })
  await settle(context, mail, outcome, judgeMail(outcome, mail, context.now(), Math.random()))
  return 'failure' in ready ? null : outcome.kind
}

function prepare(
  context: Context,
  mail: store.ClaimedMail,
): MailOutcome | { settings: MailSettings; content: MailContent } {
  const refused = (failure: string): MailOutcome => ({ kind: 'refused', response: mail.response, failure })
  const settings = context.config.mail
  if (!settings) return { kind: 'unavailable', response: null, failure: 'This process has no mail server.' }
  if (mail.useful_until <= context.now())
    return refused('It could not be sent before its link or code expired, or for a day.')
  try {
    return { settings, content: openContent(context, mail.content) }
  } catch {
    return refused('Its content could not be read: it was sealed with another master key.')
  }
}

async function settle(
  context: Context,
  mail: store.ClaimedMail,
  { response, failure }: MailOutcome,
  verdict: MailVerdict,
): Promise<void> {
  context.countMail(verdict.kind)
  const state = verdict.kind === 'sent' ? 'sent' : verdict.kind === 'retry' ? 'queued' : 'failed'
  const next_attempt_at = verdict.kind === 'retry' ? verdict.at : null
  await store.settleMail(context.sql, {
    id: mail.id,
    attempts: mail.attempts,
    state,
    next_attempt_at,
    response,
    failure,
  })
  // Without the address and what the mail server said, which may have it.
  if (state === 'failed') context.log.warn({ mail: mail.id, kind: mail.kind, failure }, 'mail given up')
}

export function deleteOldMailsJob({ sql, now }: Context): SharedJob {
  return {
    name: 'old mails',
    everySeconds: 600,
    async runShared() {
      const age = { now: now(), milliseconds: storedFor.mailMilliseconds }
      while ((await store.deleteOldMails(sql, age, batch)) === batch);
    },
  }
}
