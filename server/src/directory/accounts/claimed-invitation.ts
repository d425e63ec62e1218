import { randomBytes } from 'node:crypto'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import { cookieJar } from '../../platform/http/cookies.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { digest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { replaceEmailCode, spendEmailCode } from '../store/email-codes-sql.ts'
import { spendLink } from '../store/links-sql.ts'
import { insertUser } from '../store/users-sql.ts'
import { lockHolders, setVerifiedEmail } from '../store/verified-emails-sql.ts'
import { type CodeHolder, mayAskForCode, newEmailCode, tryEmailCode } from './email-codes.ts'
import { join, type Link, LinkSpentMeanwhile, lockTargets, welcome } from './links.ts'
import { emailCodeMail } from './mails/email-mails.ts'
import { homeOfTarget } from './mails/home.ts'
import { displace, settled } from './verified-email.ts'

const cookie = 'landbridge-code'

/** What this browser holds a code for, if it has asked for one: nobody is signed in here. */
export function claimantOf(context: Context, link: Link, cookies: string | undefined): CodeHolder | null {
  const secret = cookieJar(context.addresses.publicUrl).read(cookies, cookie)
  return secret === null || secret.length > 100 ? null : { owner_id: link.id, browser: digest(secret) }
}

/** Returns the cookie of the browser that may enter the code; null when too many were sent. */
export async function sendInvitationCode(context: Context, link: Link, address: string): Promise<string | null> {
  if (!(await mayAskForCode(context, link.id, address))) return null
  const secret = randomBytes(32).toString('base64url')
  const { email, customer_id, partner_id } = link
  const { code, until, row } = newEmailCode(context, { owner_id: link.id, browser: digest(secret) }, email)
  await transaction(context.sql, async (sql) => {
    await replaceEmailCode(sql, row)
    const { brand } = await homeOfTarget(context, sql, partner_id ? { partner_id } : { customer_id: customer_id! })
    await queueMail(context, sql, [emailCodeMail({ to: email, code, until, brand })])
  })
  return cookieJar(context.addresses.publicUrl).write(cookie, secret, lifetimes.emailCodeMilliseconds / 1000)
}

export type ClaimVerdict =
  | { verdict: 'accepted'; user_id: string }
  | { verdict: 'wrong'; left: number }
  | { verdict: 'ended' | 'void' }
  /** The account that has the email has proven it: its owner can get into it. */
  | { verdict: 'taken' }

/** Accepts an invitation by whoever proves its email: an account that never did loses the email. */
export async function claimInvitation(
  context: Context,
  { link, secret, claimant }: { link: Link; secret: string; claimant: CodeHolder },
  { code, name, password }: { code: string; name: string; password: string },
): Promise<ClaimVerdict> {
  const tried = await tryEmailCode(context, claimant, code)
  if (tried.verdict !== 'right') return tried
  const at = context.now()
  const id = newId()
  const user = { id, email: link.email, name, password_hash: await hashPassword(password, context.passwordCost) }
  const claim = () =>
    transaction<ClaimVerdict>(context.sql, async (sql) => {
      await lockTargets(sql, link)
      const [other] = await lockHolders(sql, null, link.email)
      if (!(await spendEmailCode(sql, link.id, tried.digest, at))) return { verdict: 'ended' }
      if (other?.email_verified) return { verdict: 'taken' }
      if (other) await displace(context, sql, other, { kind: 'user', id })
      if (!(await insertUser(sql, { ...user, created_at: at }))) throw new EmailTakenMeanwhile()
      await setVerifiedEmail(sql, id, link.email)
      if (!(await spendLink(sql, link.id, digest(secret), at))) throw new LinkSpentMeanwhile()
      await join(sql, link, id, at)
      await welcome(context, sql, link, id)
      return { verdict: 'accepted', user_id: id }
    })
  return await settled(claim, (error) => error instanceof EmailTakenMeanwhile).catch((error) => {
    if (error instanceof LinkSpentMeanwhile) return { verdict: 'void' }
    throw error
  })
}

/** By an account that was created after the look for one. */
class EmailTakenMeanwhile extends Error {}
