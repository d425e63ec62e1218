import { Socket } from 'node:net'
import { mailAddress } from '../../platform/mail-address.ts'
import type { MailSettings } from '../../platform/mail-settings.ts'
import { mailLimits } from '../../platform/own-limits.ts'
import type { MailContent } from './new-mail.ts'
import { renderHtml, renderText } from './render-mail.ts'

export interface OutgoingMail {
  id: string
  /** Has passed `mailAddress`. */
  recipient: string
  subject: string
  created_at: Date
  content: MailContent
}

export interface MailOutcome {
  /** `refused`: this mail will never be taken. `later`: perhaps another time. `unavailable`: the server takes no mail now. */
  kind: 'sent' | 'refused' | 'later' | 'unavailable'
  /** The mail server's own words. */
  response: string | null
  /** A sentence for the operator; null when it was sent. */
  failure: string | null
}

interface AttemptOptions {
  signal?: AbortSignal | undefined
  attemptMs?: number | undefined
}

/** One attempt over a connection of its own. Never throws, and always ends. */
export async function attemptMail(
  settings: MailSettings,
  mail: OutgoingMail,
  options: AttemptOptions = {},
): Promise<MailOutcome> {
  // Again, at the last moment: nodemailer finds several addresses even in the text of an explicit envelope.
  if (mailAddress(mail.recipient) !== mail.recipient) {
    return { kind: 'refused', response: null, failure: 'The address is not one that mail is sent to.' }
  }
  try {
    const { response } = await connected(settings, options, (transport) =>
      transport.sendMail(messageOf(settings, mail)),
    )
    return { kind: 'sent', response: quoted(response, settings, mail.content), failure: null }
  } catch (error) {
    return outcomeOf(error as SmtpError, settings, mail.content)
  }
}

/** Whether the server can be reached and takes the credentials, without a mail. */
export async function checkMailServer(settings: MailSettings, options: AttemptOptions = {}): Promise<MailOutcome> {
  try {
    await connected(settings, options, (transport) => transport.verify())
    return { kind: 'sent', response: null, failure: null }
  } catch (error) {
    return outcomeOf(error as SmtpError, settings, { paragraphs: [] })
  }
}

type Transport = Awaited<ReturnType<typeof createTransport>>

async function connected<T>(
  settings: MailSettings,
  { signal, attemptMs = mailLimits.attemptMilliseconds }: AttemptOptions,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  // Ours, so that it can be destroyed: a server that sends a byte now and then would keep nodemailer's for ever.
  const socket = new Socket()
  const ended = Promise.withResolvers<never>()
  const end = (error: Error) => {
    ended.reject(error)
    socket.destroy()
  }
  const seconds = attemptMs / 1000
  const timer = setTimeout(() => end(new Ended(`It did not finish within ${seconds} seconds.`)), attemptMs)
  const stop = () => end(new Ended('The service was stopped during the attempt.'))
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  try {
    return await Promise.race([createTransport(settings, socket).then(work), ended.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

class Ended extends Error {}

async function createTransport(settings: MailSettings, socket: Socket) {
  const { host, port, implicitTls, thisMachine, credentials, from } = settings
  // Loaded by the first mail: many a process never sends one.
  const { default: nodemailer } = await import('nodemailer')
  return nodemailer.createTransport({
    ...{ host, port, socket, secure: implicitTls },
    requireTLS: !implicitTls && !thisMachine,
    ignoreTLS: !implicitTls && thisMachine,
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    // Nodemailer's own would be the name of this machine.
    name: from.address.split('@')[1]!,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    dnsTimeout: 5_000,
    connectionTimeout: mailLimits.connectMilliseconds,
    greetingTimeout: mailLimits.connectMilliseconds,
    socketTimeout: mailLimits.silentMilliseconds,
    maxResponseSize: 64 * 1024,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageOf({ from }: MailSettings, { id, recipient, subject, created_at, content }: OutgoingMail) {
  return {
    // Explicit, and never from the headers (decision 8.70).
    envelope: { from: from.address, to: [recipient] },
    from,
    to: { address: recipient, name: '' },
    subject,
    text: renderText(content),
    html: renderHtml(subject, content),
    // The same at every attempt, so that one that arrives twice is recognised.
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    date: created_at,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

interface SmtpError extends Error {
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
}

function outcomeOf(error: SmtpError, settings: MailSettings, content: MailContent): MailOutcome {
  const response = error.response ? quoted(error.response, settings, content) : null
  const { responseCode: code = 0, command = '' } = error
  const ofThisMail = command === 'RCPT TO' || command === 'DATA'
  // 503 is about the order of commands; 421 about the server.
  if (ofThisMail && code >= 500 && code < 600 && code !== 503) {
    return { kind: 'refused', response, failure: 'The mail server refuses it for good.' }
  }
  if (ofThisMail && code >= 400 && code !== 421) {
    return { kind: 'later', response, failure: 'The mail server does not take it now.' }
  }
  return { kind: 'unavailable', response, failure: describe(error) }
}

function describe(error: SmtpError): string {
  if (error instanceof Ended) return error.message
  const cause = error.originalCode ?? error.code ?? 'unknown error'
  if (error.code === 'EAUTH') return 'The mail server does not take the user and password of LANDBRIDGE_MAIL_URL.'
  if (error.command === 'MAIL FROM')
    return 'The mail server does not take mail from the address of LANDBRIDGE_MAIL_FROM.'
  if (error.command === 'STARTTLS') return 'The mail server offers no STARTTLS, without which nothing is sent.'
  if (error.code === 'EDNS') return 'The name of the mail server is not known.'
  if (error.code === 'ETIMEDOUT' || cause === 'ETIMEDOUT') return 'The mail server did not respond in time.'
  if (cause === 'ECONNREFUSED') return 'The mail server refused the connection.'
  if (cause.includes('CERT') || cause.includes('SIGNED') || cause.startsWith('ERR_TLS')) {
    return `The certificate of the mail server was not accepted (${cause}).`
  }
  if (error.code === 'ETLS') return 'The mail server and this service did not agree on TLS.'
  if (error.responseCode) return 'The mail server takes no mail now.'
  return `The connection to the mail server failed (${cause}).`
}

/**
 * A server may repeat what it was sent: a filter names the link that it dislikes, which may be worth as much as a
 * password. Long words and numbers of the mail are left out, and the credentials.
 */
function quoted(text: string, { credentials }: MailSettings, content: MailContent): string {
  const secrets = [...renderText(content).matchAll(/[\w-]{16,}|\d{6,}/g)].map(([word]) => word)
  if (credentials) secrets.push(credentials.password, Buffer.from(credentials.password).toString('base64'))
  let line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  for (const secret of secrets)
    if (secret) line = line.replaceAll(new RegExp(secret.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), '…')
  return line.length <= 500 ? line : `${line.slice(0, 499)}…`
}
