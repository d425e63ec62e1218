import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { SMTPServerOptions } from 'smtp-server'
import { refusal, startMailServer, startRawServer } from '../../../../test/support/mail-server.ts'
import { readConfig } from '../../config.ts'
import type { MailSettings } from '../../platform/mail-settings.ts'
import { createCertificate } from '../../platform/tls/self-signed-certificate.ts'
import { attemptMail, checkMailServer, type OutgoingMail } from './smtp-attempt.ts'

const link = 'https://portal.example.com/reset/1Jv9kQxZtMsecretsecretWq0'
const mail: OutgoingMail = {
  id: '01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70',
  recipient: 'ada@example.com',
  subject: 'Grüße',
  created_at: new Date('2026-03-01T12:00:00Z'),
  content: { paragraphs: ['Hello <b>Ada</b>.', { code: '1234 5678' }], action: { label: 'Go', url: link } },
}

function settingsOf(url: string, from = 'Air & Light <no-reply@example.com>'): MailSettings {
  const { config, faults } = readConfig({ LANDBRIDGE_MAIL_URL: url, LANDBRIDGE_MAIL_FROM: from })
  assert.deepEqual(faults, [])
  return config.mail!
}

describe('one attempt over SMTP', () => {
  it('sends text and HTML with an envelope of one recipient, and headers that stop automatic replies', async () => {
    const server = await startMailServer()
    const outcome = await attemptMail(settingsOf(server.url), mail)
    assert.deepEqual([outcome.kind, outcome.failure], ['sent', null])
    assert.match(outcome.response!, /^250 /)
    const [got] = server.got
    assert.deepEqual([got!.from, got!.to, got!.name], ['no-reply@example.com', ['ada@example.com'], 'example.com'])
    assert.match(got!.raw, /^Message-ID: <01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70@example\.com>\r$/im)
    assert.match(got!.raw, /^Auto-Submitted: auto-generated\r$/im)
    assert.match(got!.raw, /^Date: Sun, 01 Mar 2026 12:00:00 \+0000\r$/im)
    assert.match(got!.raw, /^From: "Air & Light" <no-reply@example\.com>\r$/im)
    assert.match(got!.raw, /^Subject: =\?UTF-8\?/im)
    assert.match(got!.text, /Hello <b>Ada<\/b>\..*1234 5678.*Hello &#60;b&#62;Ada/s)
    assert.ok(got!.text.includes(`href="${link}"`))
    assert.doesNotMatch(got!.text, /<img|url\(|<script|<link/i)
  })

  it('nothing in a mail becomes a header or a recipient', async () => {
    const server = await startMailServer()
    const evil = 'x\r\nBcc: eve@evil.example\r\n\r\nDATA\r\n.\r\nRCPT TO:<eve@evil.example>\r\n'
    const content = { paragraphs: [evil, '.', '.\r\n'], brand: { name: evil, accent: `red}${evil}` } }
    const outcome = await attemptMail(settingsOf(server.url), { ...mail, subject: evil, content })
    assert.equal(outcome.kind, 'sent')
    assert.deepEqual(
      server.got.map(({ to }) => to),
      [['ada@example.com']],
    )
    const [headers] = server.got[0]!.raw.split('\r\n\r\n')
    assert.doesNotMatch(headers!, /^bcc:/im)
  })

  const attacks = [
    'ada@example.com\r\nRCPT TO:<eve@evil.example>',
    'Group: ada@example.com, eve@evil.example;',
    'ada@example.com, eve@evil.example',
    '"eve@evil.example"@example.com',
    'eve@evil.example> <ada@example.com',
    'ada@exam\u00adple.com',
    'ada@example.com SIZE=1',
    'ada@EXAMPLE.com',
  ]
  for (const recipient of attacks) {
    it(`${JSON.stringify(recipient)} reaches nobody`, async () => {
      const server = await startMailServer()
      assert.equal((await attemptMail(settingsOf(server.url), { ...mail, recipient })).kind, 'refused')
      assert.deepEqual([server.connections, server.got], [0, []])
    })
  }

  const replies: [code: number, kind: string][] = [
    [550, 'refused'],
    [553, 'refused'],
    [451, 'later'],
    [450, 'later'],
    [421, 'unavailable'],
  ]
  for (const [code, kind] of replies) {
    it(`${code} for the recipient: ${kind}, in the server's words`, async () => {
      const server = await startMailServer()
      server.onRecipient = () => {
        throw refusal(code, 'Because of you')
      }
      const outcome = await attemptMail(settingsOf(server.url), mail)
      assert.equal(outcome.kind, kind)
      assert.match(outcome.response!, new RegExp(`^${code} .*Because of you`))
      assert.ok(outcome.failure)
    })
  }

  it('554 for the content: refused; what it repeats of the mail is left out', async () => {
    const server = await startMailServer()
    server.onMail = () => {
      throw refusal(554, `Blocked: ${link.toLowerCase()} see https://help.example/7`)
    }
    const outcome = await attemptMail(settingsOf(server.url), mail)
    assert.equal(outcome.kind, 'refused')
    assert.match(outcome.response!, /Blocked: https:\/\/portal\.example\.com\/reset\/… see https:\/\/help\.example\/7/)
  })

  it('a refused sender and wrong credentials are about the service, and the password is nowhere', async () => {
    const server = await startMailServer({
      onMailFrom: (_address, _session, callback) => callback(refusal(550, 'Not you')),
    })
    const refused = await attemptMail(settingsOf(server.url), mail)
    assert.deepEqual([refused.kind, /LANDBRIDGE_MAIL_FROM/.test(refused.failure!)], ['unavailable', true])
    const withAuth = await startMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, callback) => callback(refusal(535, `Wrong: ${password}`)),
    })
    const settings = settingsOf(`smtp://ada:hunter2%2Bsecret@127.0.0.1:${withAuth.port}`)
    for (const outcome of [await attemptMail(settings, mail), await checkMailServer(settings)]) {
      assert.deepEqual([outcome.kind, /LANDBRIDGE_MAIL_URL/.test(outcome.failure!)], ['unavailable', true])
      assert.ok(!JSON.stringify(outcome).includes('hunter2'), JSON.stringify(outcome))
    }
    assert.deepEqual(withAuth.got, [])
  })

  it('a server that is not there, hangs, drips or leaves: unavailable, within the time', async () => {
    const hanging = await startRawServer(() => {})
    const dripping = await startRawServer((socket) => {
      const timer = setInterval(() => socket.write('220-still here\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    })
    const leaving = await startRawServer((socket) => socket.end('220 hello\r\n'))
    for (const url of [hanging.url, dripping.url, leaving.url, 'smtp://127.0.0.1:1']) {
      const startedAt = performance.now()
      const outcome = await attemptMail(settingsOf(url), mail, { attemptMs: 500 })
      assert.equal(outcome.kind, 'unavailable', url)
      assert.ok(performance.now() - startedAt < 3_000, url)
    }
  })

  it('a server that leaves after the mail and before its word: unavailable, so it is sent again', async () => {
    const server = await startRawServer((socket) => {
      socket.write('220 hello\r\n')
      let data = false
      socket.on('data', (chunk) => {
        const text = chunk.toString()
        if (data && text.endsWith('\r\n.\r\n')) socket.destroy()
        else if (/^DATA/i.test(text)) {
          data = true
          socket.write('354 go on\r\n')
        } else if (!data) socket.write('250 ok\r\n')
      })
    })
    assert.equal((await attemptMail(settingsOf(server.url), mail)).kind, 'unavailable')
  })

  it('when the process stops, the attempt ends', async () => {
    const hanging = await startRawServer(() => {})
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    const outcome = await attemptMail(settingsOf(hanging.url), mail, { signal: stop.signal })
    assert.deepEqual([outcome.kind, /stopped/.test(outcome.failure!)], ['unavailable', true])
  })
})

describe('decision 8.71: mail is encrypted unless the server is this machine', () => {
  it('a server elsewhere without STARTTLS gets nothing', async () => {
    const server = await startMailServer()
    const outcome = await attemptMail({ ...settingsOf(server.url), thisMachine: false }, mail)
    assert.deepEqual([outcome.kind, /STARTTLS/.test(outcome.failure!)], ['unavailable', true], JSON.stringify(outcome))
    assert.deepEqual(server.got, [])
  })

  it('nor one whose certificate is not valid, with STARTTLS or from the first byte', async () => {
    const start = await startMailServer({ disabledCommands: ['AUTH'] })
    const elsewhere = { ...settingsOf(start.url), thisMachine: false }
    const outcome = await attemptMail(elsewhere, mail)
    assert.deepEqual(
      [outcome.kind, /certificate|TLS/.test(outcome.failure!)],
      ['unavailable', true],
      JSON.stringify(outcome),
    )
    const implicit = await startMailServer({ secure: true })
    const other = await attemptMail(settingsOf(`smtps://127.0.0.1:${implicit.port}`), mail)
    assert.deepEqual([other.kind, /certificate|TLS/.test(other.failure!)], ['unavailable', true], JSON.stringify(other))
    assert.deepEqual([...start.got, ...implicit.got], [])
  })

  it('one with a certificate for its name gets the mail, encrypted, and the credentials only then', async () => {
    const { certificate, privateKey: key } = await createCertificate([], new Date())
    setDefaultCACertificates([...getCACertificates(), certificate])
    let inClear = 0
    const options: SMTPServerOptions = {
      ...{ cert: certificate, key, disabledCommands: [], allowInsecureAuth: true },
      onAuth({ username, password }, session, callback) {
        if (!session.secure) inClear += 1
        callback(null, { user: `${username}/${password}` })
      },
    }
    const server = await startMailServer(options, '0.0.0.0')
    const settings = { ...settingsOf(`smtp://ada:p%40ss@127.0.0.1:${server.port}`), thisMachine: false }
    const wrongName = await attemptMail({ ...settings, host: '127.0.0.2' }, mail)
    assert.deepEqual([wrongName.kind, server.got.length, inClear], ['unavailable', 0, 0], JSON.stringify(wrongName))
    const named = await attemptMail(settings, mail)
    assert.equal(named.kind, 'sent', JSON.stringify(named))
    assert.deepEqual([server.got[0]!.secure, server.got[0]!.user, inClear], [true, 'ada/p@ss', 0])
  })
})
