/** libpq's words for `target_session_attrs`. Each is accepted, and none changes anything: every connection must accept writes. */
export const targetSessionWords = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby']

/** The word of `target_session_attrs` in a Postgres address, if there is one. */
export function targetSessionWord(url: string): string | null {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get('target_session_attrs')
}

/** The servers that DATABASE_URL names, each as an address of its own: the driver knows one host per connection. */
export function hostAddresses(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url)
  if (!parts) throw new Error('A Postgres address looks like postgres://user:password@host:5432/landbridge')
  const [, start, hosts, path, query] = parts
  const parameters = new URLSearchParams(query)
  parameters.delete('target_session_attrs')
  // The words of sslmode mean what they mean to every other Postgres client.
  if (parameters.has('sslmode')) parameters.set('uselibpqcompat', 'true')
  const end = parameters.size > 0 ? `${path}?${parameters}` : path
  return hosts!.split(',').map((host) => `${start}${host}${end}`)
}
