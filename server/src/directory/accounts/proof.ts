import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { cookieHostOf } from '../../platform/http/origin.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { findFactors as findFactorsIn } from '../store/factors-sql.ts'
import { holdUser, setProvedAt } from '../store/sessions-sql.ts'
import { findAccountById } from '../store/sign-in-sql.ts'
import { isByCode } from './factors/by-code.ts'
import { checkFactor, type Factors, hasSecondFactor, type PresentedFactor } from './factors/factors.ts'
import { recordUsedCode } from './factors/used-codes.ts'
import { knownBrowser } from './known-browser.ts'
import { tryPassword } from './password-attempts.ts'
import type { Session } from './sessions.ts'
import { type RequestSource, recordFailedSignIn } from './sign-in-events.ts'

/** A sign-in with the strongest factor counts. */
export function hasFreshProof({ proved_at }: Pick<Session, 'proved_at'>, now: Date): boolean {
  return proved_at !== null && now.getTime() - proved_at.getTime() < lifetimes.proofMilliseconds
}

const proofPath = '/account/prove'

/** The page that asks for the strongest factor, and continues at `returnTo`. */
export function proofPage(returnTo: string): string {
  return `${proofPath}?return_to=${encodeURIComponent(returnTo)}`
}

/** For the APIs; pages lead to `proofPage`. */
export function requireFreshProof(context: Context, session: Session): void {
  if (hasFreshProof(session, context.now())) return
  throw new Refusal(403, 'proof_needed', `Confirm that it is you at ${proofPath}, then try again.`)
}

export interface ProofAttempt {
  address: string
  host: string
  cookies: string | undefined
  from: RequestSource
}

export type ProofVerdict = 'proved' | 'wrong' | 'too_many'

export async function proveByPassword(
  context: Context,
  session: Session,
  { password, address, host, cookies, from }: ProofAttempt & { password: string },
): Promise<ProofVerdict> {
  const account = await findAccountById(context.sql, session.user_id)
  const browser = knownBrowser(context, cookies, account)
  const hash = account?.password_hash ?? null
  const verdict = await tryPassword(context, { account: session.user_id, password, address, browser, hash })
  if (verdict === 'right') return await recordProof(context, session, { methods: ['pwd'], host, from })
  await recordFailedSignIn(context, { user_id: session.user_id, verdict, from, during: 'proof' })
  return verdict
}

export async function proveByFactor(
  context: Context,
  session: Session,
  { factor, host, cookies, from }: ProofAttempt & { factor: PresentedFactor },
): Promise<ProofVerdict> {
  const { user_id } = session
  const failed = (verdict: 'wrong' | 'too_many') =>
    recordFailedSignIn(context, { user_id, verdict, from, during: 'proof', wrong: factor.kind })
  const checked = await checkFactor(context, { user_id, host, cookies, for: 'prove', factor })
  if (checked.verdict !== 'right') {
    await failed(checked.verdict)
    return checked.verdict
  }
  const { methods, use, settle } = checked
  const verdict = await recordProof(context, session, { methods, host, from, use, factor })
  if (verdict === 'proved') await settle()
  else await failed('wrong')
  return verdict
}

/** A recovery code stands for whatever was lost (decision 6.59). */
function isStrongest(methods: readonly string[], factors: Factors, domain: string | null): boolean {
  if (domain !== null && factors.passkey_domains.includes(domain)) return methods.includes('mfa') && !isByCode(methods)
  return methods.includes('mfa') || !hasSecondFactor(factors)
}

interface Proof {
  methods: string[]
  host: string
  from: RequestSource
  use?(sql: Sql): Promise<boolean>
  factor?: PresentedFactor
}

/** Wrong when the factor was used, or the session has ended, meanwhile. */
async function recordProof(
  context: Context,
  session: Session,
  { methods, host, from, use, factor }: Proof,
): Promise<ProofVerdict> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    // Held, so that a password proves nothing once a second factor exists, nor a code once there is a passkey here.
    await holdUser(sql, session.user_id)
    const factors = await findFactorsIn(sql, session.user_id)
    if (!isStrongest(methods, factors, cookieHostOf(context.addresses.publicUrl, host)) || (use && !(await use(sql))))
      return 'wrong'
    if (!(await setProvedAt(sql, session.digest, at, methods))) return 'wrong'
    const actor = { kind: 'user', id: session.user_id } as const
    await recordAudit(sql, { type: 'session.proved', at, actor, details: { methods, ...from } })
    if (factor?.kind === 'recovery_code') await recordUsedCode(context, sql, session.user_id, from)
    return 'proved'
  })
}
