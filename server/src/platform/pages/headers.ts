/**
 * The headers of every page. Server-rendered pages run no script, except where a passkey is asked for; these, the portal and the reference widen only the
 * directives they must. `same-origin` and not `no-referrer`: under the latter a form sends `Origin: null`.
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
 * Separates a page from the window that opened it. Not for pages that an application may open in a popup: it must see
 * when the popup reaches its callback.
 */
export const isolatedFromOpener = { 'cross-origin-opener-policy': 'same-origin' }

/** Directives that differ from `strict`; null omits one. */
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
