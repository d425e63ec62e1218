import { BlockList, isIPv6, type Socket } from 'node:net'
import { limitAddress } from '../../platform/http/client-address.ts'
import { ownLimits } from '../../platform/own-limits.ts'

const { silentConnectionsPerAddress, stalledConnectionsPerAddress, stalledAfterMilliseconds } = ownLimits

/**
 * Connections that have not sent their CONNECT, by address, from TCP on: each holds a socket and TLS state without
 * saying who it is. An honest device is silent for a few round trips only, so a burst of many after a restart is let
 * in. `balancers` are addresses that many devices come from.
 */
export class SilentConnections {
  readonly #byAddress = new Map<string, Set<string>>()
  readonly #balancers: BlockList

  constructor(balancers: string[]) {
    this.#balancers = new BlockList()
    for (const entry of balancers) {
      const [address = '', bits] = entry.split('/')
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (bits === undefined) this.#balancers.addAddress(address, family)
      else this.#balancers.addSubnet(address, Number(bits), family)
    }
  }

  /** Destroys the socket when its address has too many, at once or after two seconds of silence. */
  watch(socket: Socket): void {
    if (this.#isBalancer(socket.remoteAddress ?? '')) return
    const address = limitAddress(socket.remoteAddress ?? '')
    const silent = this.#byAddress.get(address) ?? new Set()
    if (silent.size >= silentConnectionsPerAddress) return void socket.destroy()
    const name = nameOf(socket)
    this.#byAddress.set(address, silent.add(name))
    const timer = setTimeout(() => {
      if (silent.has(name) && silent.size > stalledConnectionsPerAddress) socket.destroy()
    }, stalledAfterMilliseconds).unref()
    socket.once('close', () => {
      clearTimeout(timer)
      this.#forget(address, name)
    })
  }

  /** The connection has sent its CONNECT. */
  hasSpoken(socket: Socket): void {
    this.#forget(limitAddress(socket.remoteAddress ?? ''), nameOf(socket))
  }

  #forget(address: string, name: string): void {
    const silent = this.#byAddress.get(address)
    silent?.delete(name)
    if (silent?.size === 0) this.#byAddress.delete(address)
  }

  #isBalancer(remoteAddress: string): boolean {
    const address = remoteAddress.replace('::ffff:', '')
    return this.#balancers.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

/** The same for a TCP socket and the TLS socket over it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
