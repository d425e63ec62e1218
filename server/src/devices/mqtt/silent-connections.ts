import type { Socket } from 'node:net'
import { AddressRanges } from '../../platform/http/address-ranges.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { mqttLimits } from '../../platform/own-limits.ts'

const { silentPerAddress, stalledPerAddress, stalledAfterMilliseconds } = mqttLimits

interface OfAddress {
  /** Connections without a CONNECT so far, each with the timer that checks whether it stalled. */
  silent: Map<string, NodeJS.Timeout>
  stalled: Set<string>
}

/**
 * Counts connections without a CONNECT by address, from TCP on: each holds a socket and TLS state, and is not
 * authenticated. A client that sends nothing is stalled, before or after its handshake; one that waits for our half of
 * the handshake is not, so that thousands may reconnect at once. `balancers` are addresses that many devices share.
 */
export class SilentConnections {
  readonly #byAddress = new Map<string, OfAddress>()
  readonly #balancers: AddressRanges

  constructor(balancers: string[]) {
    this.#balancers = new AddressRanges(balancers)
  }

  onAccept(socket: Socket): void {
    if (this.#isBalancer(socket)) return
    const address = limitAddress(socket.remoteAddress ?? '')
    const id = idOf(socket)
    const { silent } = this.#of(address)
    if (silent.size >= silentPerAddress) return void socket.destroy()
    this.#startTimer(socket, () => socket.bytesRead === 0)
    socket.once('close', () => this.#delete(address, id))
  }

  /** The TLS handshake is done: the client has to send its CONNECT. */
  onSecure(socket: Socket): void {
    if (!this.#isBalancer(socket)) this.#startTimer(socket, () => true)
  }

  onConnect(socket: Socket): void {
    this.#delete(limitAddress(socket.remoteAddress ?? ''), idOf(socket))
  }

  #startTimer(socket: Socket, isStalled: () => boolean): void {
    const id = idOf(socket)
    const { silent, stalled } = this.#of(limitAddress(socket.remoteAddress ?? ''))
    clearTimeout(silent.get(id))
    const check = () => {
      if (!silent.has(id) || !isStalled()) return
      if (stalled.size >= stalledPerAddress) socket.destroy()
      else stalled.add(id)
    }
    // After the next poll phase: what arrived while this process was busy has not been read yet.
    silent.set(id, setTimeout(() => setImmediate(check), stalledAfterMilliseconds).unref())
  }

  #of(address: string): OfAddress {
    const known = this.#byAddress.get(address) ?? { silent: new Map(), stalled: new Set() }
    this.#byAddress.set(address, known)
    return known
  }

  #delete(address: string, id: string): void {
    const ofAddress = this.#byAddress.get(address)
    clearTimeout(ofAddress?.silent.get(id))
    ofAddress?.silent.delete(id)
    ofAddress?.stalled.delete(id)
    if (ofAddress?.silent.size === 0) this.#byAddress.delete(address)
  }

  #isBalancer({ remoteAddress }: Socket): boolean {
    return this.#balancers.has(remoteAddress)
  }
}

/** The same for a TCP socket and the TLS socket over it. */
function idOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
