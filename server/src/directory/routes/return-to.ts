import type { FastifyReply } from 'fastify'
import { seeOther } from '../../platform/pages/page.ts'
import type { SignInVerdict } from '../accounts/sign-in-verdict.ts'
import { continueAfterSignIn } from '../accounts/weak-passwords.ts'
import type { Context } from '../context.ts'

/** The path to continue at after signing in: one of this host, else the portal. Anything else would be an open redirect. */
export function safeReturnTo(value: string | undefined): string {
  // One slash, then printable ASCII without backslashes: browsers read `//` and `/\` as another host, and drop control characters.
  if (!value || value.length > 2_048 || !/^\/(?!\/)[!-~]*$/.test(value) || value.includes('\\')) return portal
  return URL.parse(value, here)?.origin === here ? value : portal
}

const portal = '/'
const here = 'http://here.invalid'

export const secondFactorPath = '/sign-in/second-factor'

export function withReturnTo(path: string, returnTo: string): string {
  return returnTo === portal ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

/** On to where the person wanted to go, or to the second factor first; with neither, to signing in. */
export async function seeAfterSignIn(context: Context, reply: FastifyReply, result: SignInVerdict, returnTo: string) {
  if (result.verdict === 'signed_in') {
    const next = await continueAfterSignIn(context, result.user_id, returnTo)
    return seeOther(reply.header('set-cookie', result.cookies), next)
  }
  if (result.verdict !== 'second_factor') return seeOther(reply, withReturnTo('/sign-in', returnTo))
  return seeOther(reply.header('set-cookie', result.cookies), withReturnTo(secondFactorPath, returnTo))
}
