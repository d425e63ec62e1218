import { randomInt } from 'node:crypto'
import { askedMailLimits, lifetimes } from '../../platform/own-limits.ts'
import { sameDigest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import * as store from '../store/email-codes-sql.ts'
import { takeWithinHour } from './hourly-limits.ts'

export type { CodeHolder } from '../store/email-codes-sql.ts'

export const codeDigits = 8

/** Whether one more code may be sent for this account or invitation, from this address of a caller. */
export async function mayAskForCode(context: Context, ownerId: string, address: string): Promise<boolean> {
  const { codesPerAccount, codesPerAddress } = askedMailLimits
  // The address first: a caller who has used up that one counts for nobody else.
  return (
    (await takeWithinHour(context, { of: ['codes of address', address], max: codesPerAddress })) &&
    (await takeWithinHour(context, { of: ['codes of', ownerId], max: codesPerAccount }))
  )
}

export interface NewCode {
  code: string
  until: Date
  row: store.NewEmailCode
}

export function newEmailCode(context: Context, { owner_id, browser }: store.CodeHolder, email: string): NewCode {
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
  const at = context.now()
  const until = new Date(at.getTime() + lifetimes.emailCodeMilliseconds)
  const digest = digestOf(context, owner_id, email, code)
  return { code, until, row: { owner_id, browser, email, digest, created_at: at, expires_at: until } }
}

export type CodeVerdict =
  /** To be spent in the transaction of what it allows. */
  | { verdict: 'right'; email: string; digest: Buffer }
  | { verdict: 'wrong'; left: number }
  /** Expired, used, replaced, tried too often, or of another browser: the response does not say which. */
  | { verdict: 'ended' }

/** The try is counted, and committed, before the code is compared. */
export async function tryEmailCode(context: Context, holder: store.CodeHolder, typed: string): Promise<CodeVerdict> {
  const max = askedMailLimits.triesPerCode
  const code = typed.replace(/[\s-]/g, '')
  const open = await store.takeTry(context.sql, holder, { at: context.now(), max })
  if (!open) return { verdict: 'ended' }
  const digest = digestOf(context, holder.owner_id, open.email, code)
  if (sameDigest(digest, open.digest)) return { verdict: 'right', email: open.email, digest }
  return open.tries >= max ? { verdict: 'ended' } : { verdict: 'wrong', left: max - open.tries }
}

/** The address that a code was sent to, while it can be entered in this browser. */
export async function awaitedEmail(context: Context, holder: store.CodeHolder): Promise<string | null> {
  const open = { at: context.now(), max: askedMailLimits.triesPerCode }
  return (await store.findOpenCode(context.sql, holder, open))?.email ?? null
}

function digestOf({ masterKey }: Context, ownerId: string, email: string, code: string): Buffer {
  return masterKey.keyedDigest('email code', JSON.stringify([ownerId, email, code]))
}
