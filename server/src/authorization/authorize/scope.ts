/** Scope as it stands on the wire and with the tokens: values with a space between (RFC 6749 section 3.3). */
export function scopeValues(scope: string): string[] {
  return scope.split(' ').filter((value) => value !== '')
}
