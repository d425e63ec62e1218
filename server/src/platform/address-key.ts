/**
 * The part of an address that a limit counts by. A household or host is given a whole IPv6 /64, so that is one caller;
 * an IPv4 address is itself, also when a dual-stack socket shows it as IPv6.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const groups = expand(address.replace(/%.*$/, ''))
  if (!groups) return address
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (mapped) return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.')
  const prefix = groups.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}

/** The URL parser knows every way to write an IPv6 address, and one way to write it back. */
function expand(address: string): number[] | null {
  const host = URL.parse(`http://[${address}]/`)?.hostname
  if (!host) return null
  const [head = '', tail] = host.slice(1, -1).split('::')
  const words = (part: string) => (part ? part.split(':').map((word) => Number.parseInt(word, 16)) : [])
  if (tail === undefined) return words(head)
  const zeros = 8 - words(head).length - words(tail).length
  return [...words(head), ...new Array<number>(zeros).fill(0), ...words(tail)]
}
