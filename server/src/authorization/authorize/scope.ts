/** Every scope there is (contract 2.2). */
export const scopes = ['openid', 'profile', 'email'] as const

/** The values of a space-separated scope or prompt, each once (RFC 6749 section 3.3). */
export function spaceSeparated(text = ''): string[] {
  return [...new Set(text.split(' ').filter(Boolean))]
}

export function areKnownScopes(values: readonly string[]): boolean {
  return values.every((value) => (scopes as readonly string[]).includes(value))
}

/** A refresh may narrow its scope, never widen it (RFC 6749 section 6); null when it asks for more than was granted. */
export function narrowScope(granted: string[], requested: string | undefined): string[] | null {
  if (requested === undefined) return granted
  const values = spaceSeparated(requested)
  if (!values.every((value) => granted.includes(value))) return null
  return granted.filter((value) => values.includes(value))
}
