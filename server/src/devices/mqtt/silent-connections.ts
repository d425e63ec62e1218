import { BlockList, isIPv6, type Socket } from 'node:net'
import { limitAddress } from '../../platform/http/client-address.ts'
import { ownLimits } from '../../platform/own-limits.ts'

const { silentConnectionsPerAddress, stalledConnectionsPerAddress, stalledAfterMilliseconds } = ownLimits

interface OfAddress {
  /** Connections without a CONNECT so far, each with the timer that will find it stalled. */
  silent: Map<string, NodeJS.Timeout>
  /** Those that had their time and did not use it. */
  stalled: Set<string>
}

/**
 * Connections that have not sent their CONNECT, by address, from TCP on: each holds a socket and TLS state without
 * saying who it is. A client that sends nothing is stalled, before or after its handshake; one that waits for our half
 * of the handshake is not, so that thousands may come back at once. `balancers` are addresses many devices come from.
 */
export class SilentConnections {
  readonly #byAddress = new Map<string, OfAddress>()
  readonly #balancers = new BlockList()

  constructor(balancers: string[]) {
    for (const entry of balancers) {
      const [address = '', bits] = entry.split('/')
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (bits === undefined) this.#balancers.addAddress(address, family)
      else this.#balancers.addSubnet(address, Number(bits), family)
    }
  }

  /** A TCP connection was accepted. */
  watch(socket: Socket): void {
    if (this.#isBalancer(socket)) return
    const address = addressOf(socket)
    const name = nameOf(socket)
    const { silent } = this.#of(address)
    if (silent.size >= silentConnectionsPerAddress) return void socket.destroy()
    this.#giveTime(socket, () => socket.bytesRead === 0)
    socket.once('close', () => this.#forget(address, name))
  }

  /** Its TLS handshake is done: now it is the client's turn. */
  isSecure(socket: Socket): void {
    if (!this.#isBalancer(socket)) this.#giveTime(socket, () => true)
  }

  /** It has sent its CONNECT. */
  hasSpoken(socket: Socket): void {
    this.#forget(addressOf(socket), nameOf(socket))
  }

  #giveTime(socket: Socket, isStalled: () => boolean): void {
    const name = nameOf(socket)
    const { silent, stalled } = this.#of(addressOf(socket))
    clearTimeout(silent.get(name))
    const judge = () => {
      if (!silent.has(name) || !isStalled()) return
      if (stalled.size >= stalledConnectionsPerAddress) socket.destroy()
      else stalled.add(name)
    }
    // After one more look at the sockets: what came while this process was busy has not been read yet.
    silent.set(name, setTimeout(() => setImmediate(judge), stalledAfterMilliseconds).unref())
  }

  #of(address: string): OfAddress {
    const known = this.#byAddress.get(address) ?? { silent: new Map(), stalled: new Set() }
    this.#byAddress.set(address, known)
    return known
  }

  #forget(address: string, name: string): void {
    const ofAddress = this.#byAddress.get(address)
    clearTimeout(ofAddress?.silent.get(name))
    ofAddress?.silent.delete(name)
    ofAddress?.stalled.delete(name)
    if (ofAddress?.silent.size === 0) this.#byAddress.delete(address)
  }

  #isBalancer({ remoteAddress = '' }: Socket): boolean {
    const address = remoteAddress.replace('::ffff:', '')
    return this.#balancers.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return limitAddress(remoteAddress)
}

/** The same for a TCP socket and the TLS socket over it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
