import { BlockList, isIP, isIPv4 } from 'node:net'

/** Addresses and CIDR ranges of both families. */
export class AddressRanges {
  /** A list per family, since a BlockList also checks an IPv4 address against its IPv6 ranges. */
  readonly #ipv4 = new BlockList()
  readonly #ipv6 = new BlockList()

  constructor(ranges: string[]) {
    for (const range of ranges) {
      const [address = '', bits] = range.split('/')
      if (isIP(address) === 6) this.#ipv6.addSubnet(address, Number(bits ?? 128), 'ipv6')
      else this.#ipv4.addSubnet(address, Number(bits ?? 32), 'ipv4')
    }
  }

  /**
   * An IPv4-mapped IPv6 address is judged as its IPv4 address. What is no address is in no range, nor is the missing
   * address of a socket that has closed.
   */
  has(address: string | undefined): boolean {
    if (address === undefined) return false
    const plain = isIPv4(address) ? address : mappedIPv4(address)
    return plain === null ? this.#ipv6.check(address, 'ipv6') : this.#ipv4.check(plain, 'ipv4')
  }
}

function mappedIPv4(address: string): string | null {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (dotted) return dotted[1]!
  const hexadecimal = /^(?:0*:){2}(?:0*:){0,3}ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (!hexadecimal) return null
  const [high, low] = [Number.parseInt(hexadecimal[1]!, 16), Number.parseInt(hexadecimal[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
