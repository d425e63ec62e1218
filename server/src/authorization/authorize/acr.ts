/** A passkey: it signs for this origin only (OpenID Connect EAP ACR Values 1.0). */
const phishingResistant = 'phr'
/** Two factors of any kind, by the name of OpenID's PAPE that other providers understand too. */
const multiFactor = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'

/** The strongest first (decision 6.69). */
export const acrValues = [phishingResistant, multiFactor] as const
export type Acr = (typeof acrValues)[number]

/** Those of a request that are known; others are ignored, as the claim is voluntary (OpenID Connect Core 5.5.1.1). */
export function knownAcrs(asked: readonly string[]): Acr[] {
  const known: readonly string[] = acrValues
  return [...new Set(asked)].filter((value) => known.includes(value)) as Acr[]
}

/** What a session fulfils, by how it was opened (RFC 8176). */
function fulfilled(methods: readonly string[]): Acr[] {
  if (!methods.includes('mfa')) return []
  return methods.includes('hwk') || methods.includes('swk') ? [phishingResistant, multiFactor] : [multiFactor]
}

/** The first that the application asked for and the session fulfils, else the strongest that it fulfils. */
export function acrOf(methods: readonly string[], asked: readonly Acr[]): Acr | null {
  const reached = fulfilled(methods)
  return asked.find((value) => reached.includes(value)) ?? reached[0] ?? null
}

/**
 * Whether the person shall present a stronger factor first: the session fulfils nothing of what was asked for, and what
 * the account has would. Once per request: a person who then presents another factor goes on with what that fulfils.
 */
export function needsStepUp(
  { acr_values, created_at }: { acr_values: readonly Acr[]; created_at: Date },
  { methods, proved_at }: { methods: readonly string[]; proved_at: Date | null },
  has: 'passkey' | 'app' | null,
): boolean {
  if (has === null || fulfils(acr_values, methods)) return false
  if (proved_at !== null && proved_at >= created_at) return false
  return fulfils(acr_values, has === 'passkey' ? ['hwk', 'mfa'] : ['otp', 'mfa'])
}

/** Whether nothing is asked for, or something that was reached this way. */
export function fulfils(asked: readonly Acr[], methods: readonly string[]): boolean {
  const reached = fulfilled(methods)
  return asked.length === 0 || asked.some((value) => reached.includes(value))
}
