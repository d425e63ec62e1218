/**
 * The servers that DATABASE_URL names, each as an address of its own: the driver knows one host per connection. Its
 * `target_session_attrs` is left out, since every connection of the service must accept writes whatever it says.
 */
export function hostsOf(url: string): string[] {
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
