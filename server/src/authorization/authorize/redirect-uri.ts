/** Byte for byte (contract 2.1): any normalisation would let through an address that nobody registered. */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  return registered.includes(redirectUri)
}

/** Appended as text: parsing and formatting the URI again could change registered bytes (decision 6.5). */
export function withParameters(uri: string, parameters: Record<string, string | null | undefined>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return uri + separator + query
}
