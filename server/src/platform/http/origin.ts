import { Refusal } from '../refusal.ts'

export interface Sender {
  host: string
  headers: Record<string, string | string[] | undefined>
}

/**
 * A change that is authenticated by a cookie is accepted only from this host's own pages. No page can set Origin or
 * Sec-Fetch-Site itself, so a page of another site cannot pass. The scheme is that of the public address, since behind a
 * proxy that ends TLS the socket's says nothing.
 */
export function isOwnOrigin(publicUrl: string, { host, headers }: Sender): boolean {
  if (headers['sec-fetch-site'] === 'same-origin') return true
  const origin = URL.parse(`${schemeOf(publicUrl)}//${host}`)?.origin
  return origin !== undefined && headers.origin === origin
}

export function requireOwnOrigin(publicUrl: string, sender: Sender): void {
  if (!isOwnOrigin(publicUrl, sender)) {
    throw new Refusal(
      403,
      'foreign_origin',
      'This change must come from a page of this site: Origin must be the site itself.',
    )
  }
}

export function schemeOf(publicUrl: string): 'http:' | 'https:' {
  return publicUrl.startsWith('https:') ? 'https:' : 'http:'
}

/** `host[:port]` in one form: lower case, without the scheme's default port. Null when it is not a host. */
export function hostOf(publicUrl: string, host: string): string | null {
  return URL.parse(`${schemeOf(publicUrl)}//${host}`)?.host ?? null
}

/** Whether a request was sent to the public address itself and not to another name of this service. */
export function isPublicHost(publicUrl: string, host: string): boolean {
  return hostOf(publicUrl, host) === new URL(publicUrl).host
}

/** The host without its port, since cookies are shared between ports. */
export function cookieHostOf(publicUrl: string, host: string): string | null {
  return URL.parse(`${schemeOf(publicUrl)}//${host}`)?.hostname || null
}
