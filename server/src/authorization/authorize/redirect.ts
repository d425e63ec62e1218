/** Appended as text: parsing and writing the address anew could change bytes that were registered (spec 2.1). */
export function withParameters(uri: string, parameters: Record<string, string | null | undefined>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const joint = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return uri + joint + query
}
