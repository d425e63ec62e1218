/**
 * What every page carries. No script runs on a server-rendered page at all; the portal, which needs its own, widens
 * exactly the directives it must. `same-origin` and not `no-referrer`: under the latter a form sends `Origin: null`.
 */
export function pageHeaders(directives: Directives = {}): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(directives),
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}

/**
 * Cuts a page off from the window that opened it. Not for sign-in, consent or a refusal: an application may open those
 * in a popup, and must hear from it when its callback is reached.
 */
export const isolatedFromOpener = { 'cross-origin-opener-policy': 'same-origin' }

/** What a page needs other than `strict`; null leaves a directive out. */
export type Directives = Record<string, string | null>

const strict = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

export function contentSecurityPolicy(directives: Directives = {}): string {
  return Object.entries({ ...strict, ...directives })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
