import { constants } from 'node:crypto'
import type { TlsMaterial } from './self-signed-certificate.ts'

/**
 * For every listener that terminates TLS, and for a certificate that replaces another: the options of a secure context
 * are replaced as a whole. A renegotiation, which only TLS 1.2 has, is refused: each costs the server a signature.
 */
export function listenerTls({ certificate, privateKey }: TlsMaterial) {
  return {
    cert: certificate,
    key: privateKey,
    minVersion: 'TLSv1.2' as const,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}
