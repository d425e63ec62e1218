import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { cookieJar } from '../platform/cookies.ts'

const cookie = 'landbridge-known'
const purpose = 'known browser'
const yearSeconds = 365 * 24 * 3600

/** Says "this browser has signed in to this account": sealed, so that nobody makes one. It opens nothing by itself. */
export function knownBrowserCookie(context: Context, userId: string): string {
  const box = context.masterKey.seal(purpose, JSON.stringify([userId, randomBytes(16).toString('base64url')]))
  return cookieJar(context.addresses.publicUrl).write(cookie, box.toString('base64url'), yearSeconds)
}

/** The browser's id when it has signed in to this account before, else null. */
export function knownBrowser(context: Context, cookies: string | undefined, userId: string | undefined): string | null {
  const box = cookieJar(context.addresses.publicUrl).read(cookies, cookie)
  if (box === null || box.length > 512) return null
  try {
    const [known, id] = JSON.parse(context.masterKey.open(purpose, Buffer.from(box, 'base64url')))
    return known === userId ? id : null
  } catch {
    return null
  }
}
