import { promises as dns } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/** Every range outside the public internet: a URL from outside must not reach what only this machine can. */
const notPublic = rangeList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Only 2000::/3 is public IPv6, without the parts for documentation and embedded IPv4.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])

export interface OutgoingAddresses {
  /** Returns the addresses that may be connected to, or throws `OutgoingAddressRefused` with a sentence. */
  resolve(url: URL): Promise<string[]>
  /** What is wrong with a URL as far as can be said without the network; null when nothing is. */
  problemOf(text: string): string | null
}

export class OutgoingAddressRefused extends Error {}

export interface OutgoingAddressOptions {
  /** CIDR ranges that the operator allows, such as its own network or a developer's machine. */
  allow: string[]
  /** `host:port` of name servers; by default the machine's own. */
  nameServers?: string[]
}

export function createOutgoingAddresses({ allow, nameServers }: OutgoingAddressOptions): OutgoingAddresses {
  const allowed = rangeList(allow)
  // c-ares, not getaddrinfo: a slow name server must not hold the thread pool that checks passwords.
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  if (nameServers) resolver.setServers(nameServers)

  const open = (address: string) => has(allowed, address)
  const permitted = (address: string, protocol: string) =>
    open(address) || (protocol === 'https:' && !has(notPublic, address))

  async function addressesOf(host: string): Promise<string[]> {
    if (isIP(host)) return [host]
    if (isLocalhost(host)) return ['127.0.0.1', '::1']
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  }

  return {
    async resolve(url) {
      const host = hostOf(url)
      const addresses = await addressesOf(host)
      if (addresses.length === 0) throw new OutgoingAddressRefused(`The name ${host} could not be resolved.`)
      const good = addresses.filter((address) => permitted(address, url.protocol))
      if (good.length === 0) throw new OutgoingAddressRefused(`The address ${refusalOf(url, addresses)}.`)
      return good
    },
    problemOf(text) {
      const url = URL.parse(text)
      if (!url || !['https:', 'http:'].includes(url.protocol)) return 'must be an absolute https address'
      if (url.username || url.password) return 'must carry no user name or password'
      if (url.hash) return 'must have no fragment'
      const host = hostOf(url)
      const literal = isIP(host) ? [host] : isLocalhost(host) ? ['127.0.0.1', '::1'] : null
      if (literal && !literal.some((address) => permitted(address, url.protocol))) return refusalOf(url, literal)
      if (!literal && url.protocol === 'http:' && allow.length === 0) return 'must be an https address'
      return null
    },
  }
}

function refusalOf(url: URL, addresses: string[]): string {
  if (url.protocol === 'http:' && addresses.some((address) => !has(notPublic, address))) {
    return 'must be an https address'
  }
  const why = 'a loopback, private or reserved address (the operator can allow it with LANDBRIDGE_WEBHOOK_ALLOW)'
  return `must not lead to ${addresses[0]}: ${why}`
}

function hostOf(url: URL): string {
  // A trailing dot names the same host; an IPv6 literal comes in brackets.
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

interface Ranges {
  ipv4: BlockList
  ipv6: BlockList
}

/** A list per family, since a BlockList also checks an IPv4 address against its IPv6 ranges. */
function rangeList(ranges: string[]): Ranges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    lists[family].addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return lists
}

/** An IPv4-mapped IPv6 address is judged as its IPv4 address. */
function has({ ipv4, ipv6 }: Ranges, address: string): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? mappedHex(address) ?? address
  return isIP(plain) === 6 ? ipv6.check(plain, 'ipv6') : ipv4.check(plain, 'ipv4')
}

function mappedHex(address: string): string | null {
  const match = /^(?:0*:){2}(?:0*:){0,3}ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (!match) return null
  const [high, low] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
