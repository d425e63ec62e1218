import { isIPv6 } from 'node:net'

/** What counts as one caller for limits: an IPv4 address, or an IPv6 /64, since one caller has all addresses of it. */
export function limitAddress(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  const plain = ip.split('%')[0]!
  if (!isIPv6(plain)) return plain
  // The URL parser normalises the address; `::` then replaces the missing groups.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head = '', tail] = written.split('::')
  const groups = head ? head.split(':') : []
  if (tail !== undefined) {
    const rest = tail ? tail.split(':') : []
    groups.push(...Array<string>(8 - groups.length - rest.length).fill('0'), ...rest)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
