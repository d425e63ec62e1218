/** libpq's values of `target_session_attrs`: all are accepted and ignored, since every connection must accept writes. */
export const targetSessionValues = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby']

/** The value of `target_session_attrs` in a Postgres address, if there is one. */
export function targetSessionAttrs(url: string): string | null {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get('target_session_attrs')
}

/** One address per server that DATABASE_URL names: the driver takes one host per connection. */
export function hostAddresses(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url)
  if (!parts) throw new Error('A Postgres address looks like postgres://user:password@host:5432/landbridge')
  const [, start, hosts, path, query] = parts
  const parameters = new URLSearchParams(query)
  parameters.delete('target_session_attrs')
  // libpq's word for the roots of the system, which count where no file is named.
  if (parameters.get('sslrootcert') === 'system') parameters.delete('sslrootcert')
  // So that sslmode means the same as in every other Postgres client.
  if (parameters.has('sslmode')) parameters.set('uselibpqcompat', 'true')
  const end = parameters.size > 0 ? `${path}?${parameters}` : path
  return hosts!.split(',').map((host) => `${start}${host}${end}`)
}
