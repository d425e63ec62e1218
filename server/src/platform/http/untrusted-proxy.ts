import type { Logger } from 'pino'
import type { AddressRanges } from './address-ranges.ts'
import type { App } from './app.ts'

const everyMilliseconds = 60_000

/**
 * Behind a proxy that is not trusted, all callers share its address and its limits, and nobody notices until they are
 * refused. Logged at most once per minute, since anyone can send the header.
 */
export function warnOfUntrustedProxy(app: App, log: Logger, proxies: AddressRanges): void {
  let warnedAt = Number.NEGATIVE_INFINITY
  app.addHook('onRequest', (request, _reply, done) => {
    const address = request.socket.remoteAddress
    if (request.headers['x-forwarded-for'] !== undefined && !proxies.has(address)) {
      const now = performance.now()
      if (now - warnedAt >= everyMilliseconds) {
        warnedAt = now
        const hint = 'If it is your proxy, name it in LANDBRIDGE_TRUST_PROXY.'
        const sentence = `X-Forwarded-For came from an address that is not trusted, and is ignored. ${hint}`
        log.warn({ address }, sentence)
      }
    }
    done()
  })
}
