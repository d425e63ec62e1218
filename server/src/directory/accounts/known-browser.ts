import { randomBytes } from 'node:crypto'
import { cookieJar } from '../../platform/http/cookies.ts'
import { digest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import type { Account } from '../store/sign-in-sql.ts'

const cookie = 'landbridge-known'
const purpose = 'known browser'
const yearSeconds = 365 * 24 * 3600

/**
 * States that this browser has signed in to this account with its current password. It grants no access by itself. It is
 * sealed, so nobody can forge one, and a new password invalidates it, since anyone who knew the old one may hold some.
 */
export function knownBrowserCookie(context: Context, account: Account): string {
  const content = [account.id, epochOf(account), randomBytes(16).toString('base64url')]
  const box = context.masterKey.seal(purpose, JSON.stringify(content))
  return cookieJar(context.addresses.publicUrl).write(cookie, box.toString('base64url'), yearSeconds)
}

/** The browser's id when it has signed in to this account before, else null. */
export function knownBrowser(
  context: Context,
  cookies: string | undefined,
  account: Account | undefined,
): string | null {
  const box = cookieJar(context.addresses.publicUrl).read(cookies, cookie)
  if (!account || box === null || box.length > 512) return null
  try {
    const [id, epoch, browser] = JSON.parse(context.masterKey.open(purpose, Buffer.from(box, 'base64url')))
    return id === account.id && epoch === epochOf(account) ? browser : null
  } catch {
    return null
  }
}

/** Changes with the password. */
export function epochOf({ password_hash }: Account): string {
  return digest(password_hash ?? '')
    .toString('base64url')
    .slice(0, 16)
}
