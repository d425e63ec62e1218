import type { Sql } from '../../../platform/database/sql.ts'
import { lifetimes } from '../../../platform/own-limits.ts'
import { digest } from '../../../platform/secrets/secrets.ts'
import type { Context } from '../../context.ts'
import { spendChallenge } from '../../store/factors-sql.ts'

/** What a passkey is asked for, and whose; at sign-in nobody is known yet. */
export type Asking = { to: 'sign_in' } | { to: 'second_factor' | 'prove' | 'register'; user_id: string }

/**
 * The challenge is a sealed box with a random nonce that says what it is for, so that a page that asks for a passkey writes
 * nothing: only one that was signed is stored, so that it counts once.
 */
const purpose = 'passkey challenge'

export function newChallenge(context: Context, origin: string, asking: Asking): string {
  const expires = context.now().getTime() + lifetimes.passkeyChallengeMilliseconds
  return context.masterKey.seal(purpose, JSON.stringify([origin, bound(asking), expires])).toString('base64url')
}

/** When the challenge ends, if it is one of ours for this page, asked to this person, and has not ended. */
export function challengeEnd(context: Context, origin: string, asking: Asking, challenge: string): Date | null {
  if (challenge.length > 1_024) return null
  try {
    const content = JSON.parse(context.masterKey.open(purpose, Buffer.from(challenge, 'base64url')))
    const [sealedOrigin, sealedAsking, expires] = content
    if (sealedOrigin !== origin || sealedAsking !== bound(asking)) return null
    return context.now().getTime() < expires ? new Date(expires) : null
  } catch {
    return null
  }
}

/** False the second time. Of the bytes, since a text can be written in several ways. */
export async function spend(sql: Sql, challenge: string, end: Date): Promise<boolean> {
  return await spendChallenge(sql, digest(Buffer.from(challenge, 'base64url').toString('base64url')), end)
}

function bound(asking: Asking): string {
  return asking.to === 'sign_in' ? asking.to : `${asking.to} ${asking.user_id}`
}
