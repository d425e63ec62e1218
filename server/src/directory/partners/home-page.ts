import { invalid } from '../../platform/refusal.ts'

/** It becomes a link on our pages, so nothing but https, and nothing that a browser would show differently. */
export function requireHomePage(address: string | null | undefined): void {
  if (address === null || address === undefined) return
  const message = problemOf(address)
  if (message) throw invalid({ field: 'home_page', message })
}

function problemOf(address: string): string | null {
  if (!/^[\x21-\x7e]{1,500}$/.test(address)) return 'must be 1 to 500 printable ASCII characters without spaces'
  const parsed = /^https:\/\/[^/?#\\]/i.test(address) ? URL.parse(address) : null
  if (!parsed || address.includes('\\')) return 'must be an https address, such as https://app.example.com'
  if (parsed.username || parsed.password) return 'must not contain credentials'
  return null
}
