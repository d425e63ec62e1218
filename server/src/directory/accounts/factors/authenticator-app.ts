import { lifetimes } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import * as store from '../../store/factors-sql.ts'
import { addFactor, type ChangedBy, settleAddedFactor } from './factor-changes.ts'
import { openTotpSecret, sealTotpSecret } from './factors.ts'
import { matchingStep, newTotpSecret } from './totp.ts'

/** The secret for the app to be added: the same for the length of a proof, so that a second click does not change it. */
export async function beginAuthenticatorApp(context: Context, by: ChangedBy) {
  const { user_id } = by.session
  const created_at = context.now()
  const staleBefore = new Date(created_at.getTime() - lifetimes.proofMilliseconds)
  return await addFactor(context, by, async (sql) => {
    const secret = sealTotpSecret(context, user_id, newTotpSecret())
    await store.beginTotp(sql, { user_id, secret, created_at }, staleBefore)
    const begun = (await store.findTotp(sql, user_id))!
    if (begun.enabled_at) return { verdict: 'exists' } as const
    return { verdict: 'begun', secret: openTotpSecret(context, user_id, begun.secret) } as const
  })
}

/** Counts from the first right code on: an app that shows others would lock its owner out. */
export async function enableAuthenticatorApp(context: Context, by: ChangedBy, code: string) {
  const { user_id } = by.session
  const at = context.now()
  return await addFactor(context, by, async (sql) => {
    const begun = await store.findTotp(sql, user_id)
    if (!begun) return { verdict: 'not_begun' } as const
    if (begun.enabled_at) return { verdict: 'exists' } as const
    const secret = openTotpSecret(context, user_id, begun.secret)
    const step = matchingStep(secret, code, at, begun.last_step)
    if (step === null) return { verdict: 'wrong', secret } as const
    await store.enableTotp(sql, { user_id, secret: begun.secret, step, at })
    return {
      verdict: 'enabled',
      codes: await settleAddedFactor(context, sql, by, { change: 'user.totp_enabled' }),
    } as const
  })
}
