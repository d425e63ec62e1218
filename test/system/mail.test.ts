// A mail server we did not write: aiosmtpd, from Debian's python3-aiosmtpd.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { readConfig } from '../../server/src/config.ts'
import { claimMails, deliverMail } from '../../server/src/events/mail/mail-deliveries.ts'
import { queueMail } from '../../server/src/events/mail/mail-queue.ts'
import { attemptMail, checkMailServer } from '../../server/src/events/mail/smtp-attempt.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { freePort } from '../support/free-port.ts'
import { startHarness } from '../support/harness.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-mail-'))
after(() => rm(folder, { recursive: true }))
const { certificate, privateKey } = await createCertificate([], new Date())
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
await writeFile(cert, certificate)
await writeFile(key, privateKey)

/** Prints each mail as a line of JSON; demands STARTTLS and a password, and refuses some. */
const program = `
import json, ssl, sys
from email import message_from_bytes, policy
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

seen = set()

class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith('nobody@'):
            return '550 5.1.1 No such user here'
        if address.startswith('grey@') and address not in seen:
            seen.add(address)
            return '451 4.7.1 Greylisted'
        envelope.rcpt_tos.append(address)
        return '250 OK'

    async def handle_DATA(self, server, session, envelope):
        mail = message_from_bytes(envelope.content, policy=policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        print(json.dumps({'to': envelope.rcpt_tos, 'from': envelope.mail_from, 'subject': mail['subject'],
            'header_to': mail['to'], 'auto': mail['auto-submitted'], 'defects': [str(d) for d in mail.defects],
            'tls': session.ssl is not None, 'text': parts['text/plain'], 'html': parts['text/html']}), flush=True)
        return '250 Message accepted'

def authenticate(server, session, envelope, mechanism, data):
    ok = isinstance(data, LoginPassword) and data.login == b'landbridge' and data.password == b'p@ss w\\xc3\\xb6rd'
    return AuthResult(success=ok, handled=False)

context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1], sys.argv[2])
controller = Controller(Handler(), hostname='127.0.0.1', port=int(sys.argv[3]), tls_context=context, require_starttls=True,
    authenticator=authenticate, auth_required=True)
controller.start()
print(json.dumps({'port': controller.server.sockets[0].getsockname()[1]}), flush=True)
sys.stdin.read()
`

interface Printed {
  to: string[]
  from: string
  subject: string
  header_to: string
  auto: string
  defects: string[]
  tls: boolean
  text: string
  html: string
}

async function startServer(): Promise<{ port: number; got: Printed[]; child: ChildProcess }> {
  const port = await freePort()
  const child = spawn('/usr/bin/python3', ['-c', program, cert, key, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  after(() => child.kill())
  const got: Printed[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const printed = JSON.parse(line)
    if ('port' in printed) ready.resolve()
    else got.push(printed)
  })
  child.on('exit', (code) => ready.reject(new Error(`python3 ended with ${code}: is python3-aiosmtpd installed?`)))
  await ready.promise
  return { port, got, child }
}

const { port, got } = await startServer()
setDefaultCACertificates([...getCACertificates(), certificate])
const LANDBRIDGE_MAIL_FROM = 'Lüftung & Licht <no-reply@example.com>'
const url = (password: string) => `smtp://landbridge:${encodeURIComponent(password)}@127.0.0.1:${port}`
const service = await startHarness({ LANDBRIDGE_MAIL_URL: url('p@ss wörd'), LANDBRIDGE_MAIL_FROM })
const { context, sql, clock } = service
// The server is on this machine, and is to be treated as one elsewhere.
context.config.mail!.thisMachine = false

async function deliverDue(): Promise<void> {
  for (const mail of await claimMails(context, 10)) await deliverMail(context, mail)
}

async function queue(to: string): Promise<void> {
  const action = { label: 'Join', url: 'https://portal.example.com/invitation/1Jv9kQxZtM' }
  const paragraphs = [
    'Grüße aus Köln – a line that is long enough to be folded by whoever writes it, again and again.',
    '.',
  ]
  await queueMail(context, sql, [
    { to, kind: 'invitation', subject: 'Sie sind eingeladen: Müller', paragraphs, action },
  ])
}

const stateOf = async (to: string) => (await sql`select state, response from mails where recipient = ${to}`)[0]!

describe('mail by aiosmtpd, with STARTTLS and a password', () => {
  it('arrives as it was written', async () => {
    await queue('ada@example.com')
    await deliverDue()
    assert.deepEqual([(await stateOf('ada@example.com')).state, got.length], ['sent', 1])
    const [mail] = got
    const text = mail!.text.replaceAll('\r\n', '\n')
    assert.deepEqual([mail!.to, mail!.from, mail!.tls], [['ada@example.com'], 'no-reply@example.com', true])
    assert.deepEqual([mail!.header_to, mail!.auto, mail!.defects], ['ada@example.com', 'auto-generated', []])
    assert.equal(mail!.subject, 'Sie sind eingeladen: Müller')
    assert.match(text, /^Grüße aus Köln – a line .* again and again\.\n\n\.\n\nJoin:\nhttps:\/\/portal\.example\.com/)
    assert.match(mail!.html, /Grüße aus Köln – a line[^<]+<\/p>/)
  })

  it('a refused recipient is given up, a greylisted one is sent later', async () => {
    await queue('nobody@example.com')
    await queue('grey@example.com')
    await deliverDue()
    const refused = await stateOf('nobody@example.com')
    assert.deepEqual([refused.state, refused.response], ['failed', '550 5.1.1 No such user here'])
    assert.deepEqual(Object.values(await stateOf('grey@example.com')), ['queued', '451 4.7.1 Greylisted'])
    clock.forward(6)
    await deliverDue()
    assert.equal((await stateOf('grey@example.com')).state, 'sent')
  })

  it('without STARTTLS, or with a wrong password, nothing is sent', async () => {
    const { config } = readConfig({ LANDBRIDGE_MAIL_URL: url('wrong'), LANDBRIDGE_MAIL_FROM })
    const settings = { ...config.mail!, thisMachine: false }
    const wrong = await checkMailServer(settings)
    assert.deepEqual([wrong.kind, wrong.response?.slice(0, 3)], ['unavailable', '535'])
    const mail = {
      id: 'x',
      recipient: 'ada@example.com',
      subject: 'x',
      created_at: new Date(),
      content: { paragraphs: [] },
    }
    const before = got.length
    const plain = await attemptMail({ ...settings, thisMachine: true, credentials: null }, mail)
    assert.equal(plain.kind, 'unavailable', JSON.stringify(plain))
    assert.match(plain.response!, /^530 /)
    assert.equal(got.length, before)
  })
})
