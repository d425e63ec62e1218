import { isIP } from 'node:net'
import { partLimits } from '../../platform/own-limits.ts'
import { type Detail, invalid } from '../../platform/refusal.ts'

const { redirectUrisPerApplication: max } = partLimits

/** Redirect URIs are compared byte for byte (contract 2.1), so nothing is normalised: a URI is stored as it is or refused. */
export function requireRedirectUris(uris: readonly string[]): void {
  const details = uris.flatMap((uri, index): Detail[] => {
    const message = problemOfRedirectUri(uri)
    return message ? [{ field: `redirect_uris.${index}`, message }] : []
  })
  if (uris.length === 0 || uris.length > max) {
    details.push({ field: 'redirect_uris', message: `must have from 1 to ${max} addresses` })
  }
  if (new Set(uris).size < uris.length) details.push({ field: 'redirect_uris', message: 'must not repeat an address' })
  if (details.length > 0) throw invalid(...details)
}

/** The rest of a sentence that begins with the field's name; null for a valid URI. */
function problemOfRedirectUri(uri: string): string | null {
  // Printable ASCII only: a browser would rewrite anything else, and the bytes would no longer match.
  if (!/^[\x21-\x7e]{1,2000}$/.test(uri)) return 'must be 1 to 2000 printable ASCII characters without spaces'
  if (uri.includes('#')) return 'must not have a fragment'
  const parsed = /^https?:\/\/[^/?\\]/i.test(uri) ? URL.parse(uri) : null
  if (!parsed) return 'must be an absolute address, such as https://app.example.com/callback'
  if (uri.includes('\\')) return 'must not contain a backslash'
  if (parsed.username || parsed.password) return 'must not contain credentials'
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname)) return 'must use https, except on a loopback host'
  return null
}

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true
  return isIP(hostname) === 4 && hostname.startsWith('127.')
}
