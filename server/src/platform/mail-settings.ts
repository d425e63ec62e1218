import type { Environment } from './environment.ts'
import { isLoopbackHost } from './loopback.ts'
import { type Mailbox, mailbox } from './mail-address.ts'

/** Where mails are handed in, and by whom they are. */
export interface MailSettings {
  /** A name or an address, without brackets. */
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS, except on this machine. */
  implicitTls: boolean
  /** On this machine nobody can read along, and its mail server seldom has a certificate. */
  thisMachine: boolean
  credentials: { user: string; password: string } | null
  from: Mailbox
}

const urlLike = 'smtps://user:password@mail.example.com, with special characters of the password percent-encoded'
const fromLike = 'Landbridge <no-reply@example.com>'

/** No fault repeats the address: it has the password. */
export function readMail(environment: Environment): MailSettings | null {
  const url = environment.text('LANDBRIDGE_MAIL_URL')
  const fromText = environment.text('LANDBRIDGE_MAIL_FROM')
  const from = fromText === null ? null : mailbox(fromText)
  if (url && !fromText) environment.fault('LANDBRIDGE_MAIL_FROM', `is required with LANDBRIDGE_MAIL_URL: ${fromLike}`)
  if (fromText && !url) environment.fault('LANDBRIDGE_MAIL_URL', `is required with LANDBRIDGE_MAIL_FROM: ${urlLike}`)
  if (fromText && !from) environment.fault('LANDBRIDGE_MAIL_FROM', `must be an address, or a name and one: ${fromLike}`)
  const server = url === null ? null : readServer(url)
  if (url && !server) environment.fault('LANDBRIDGE_MAIL_URL', `must be an smtp or smtps address, such as ${urlLike}`)
  return server && from && { ...server, from }
}

function readServer(text: string): Omit<MailSettings, 'from'> | null {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname || url.port === '0') return null
  // Options in the query, as nodemailer reads them, could switch off the check of the certificate.
  if (url.search || url.hash || url.pathname.length > 1 || (url.password && !url.username)) return null
  const [user, password] = [decoded(url.username), decoded(url.password)]
  // Only the host of a web address is normalized: 127.1 is 127.0.0.1.
  const hostname = URL.parse(`http://${url.hostname}/`)?.hostname
  if (user === null || password === null || !hostname) return null
  const implicitTls = url.protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (implicitTls ? 465 : 587),
    implicitTls,
    thisMachine: isLoopbackHost(hostname),
    credentials: user ? { user, password } : null,
  }
}

/** Null for what cannot be sent in one line. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text)
    return /\p{Cc}/u.test(plain) ? null : plain
  } catch {
    return null
  }
}
