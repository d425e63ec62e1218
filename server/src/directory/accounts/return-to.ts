/** Where a signed-in person goes on: a path of this very host, or the portal. Anything else would be an open redirect. */
export function safeReturnTo(value: string | undefined): string {
  // One slash, then printable ASCII without backslashes: browsers read `//` and `/\` as another host, and drop controls.
  if (!value || value.length > 2_048 || !/^\/(?!\/)[!-~]*$/.test(value) || value.includes('\\')) return portal
  return URL.parse(value, here)?.origin === here ? value : portal
}

const portal = '/'
const here = 'http://here.invalid'
