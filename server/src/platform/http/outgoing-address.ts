import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { AddressRanges } from './address-ranges.ts'

/** Every range outside the public internet: a URL from outside must not reach what only this machine can. */
const notPublic = new AddressRanges([
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
  const allowed = new AddressRanges(allow)
  // c-ares, not getaddrinfo: a slow name server must not hold the thread pool that checks passwords.
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  if (nameServers) resolver.setServers(nameServers)

  const permitted = (address: string, protocol: string) =>
    allowed.has(address) || (protocol === 'https:' && !notPublic.has(address))

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
      const good = addresses.filter((address) => permitted(address, url.protocol))
      if (good.length > 0) return good
      // One sentence for a name that is unknown and one that is private: a partner must not learn what exists inside.
      const isHidden = !isIP(host) && !isLocalhost(host) && addresses.every((address) => notPublic.has(address))
      throw new OutgoingAddressRefused(
        isHidden
          ? `The name ${host} could not be resolved to a public address.`
          : `The address ${refusalOf(url, addresses)}.`,
      )
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
  if (url.protocol === 'http:' && addresses.some((address) => !notPublic.has(address))) {
    return 'must be an https address'
  }
  return 'must not lead to a loopback, private or reserved address (the operator can allow it with LANDBRIDGE_WEBHOOK_ALLOW)'
}

function hostOf(url: URL): string {
  // A trailing dot names the same host; an IPv6 literal comes in brackets.
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}
