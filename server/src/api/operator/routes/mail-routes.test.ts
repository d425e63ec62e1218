import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { refusal, startMailServer } from '../../../../../test/support/mail-server.ts'
import { claimMails } from '../../../events/mail/mail-deliveries.ts'
import { queueMail } from '../../../events/mail/mail-queue.ts'

const server = await startMailServer()
const LANDBRIDGE_MAIL_FROM = 'Landbridge <no-reply@example.com>'
const url = `smtp://ada:hunter2secret@127.0.0.1:${server.port}`
const service = await startHarness({ LANDBRIDGE_MAIL_URL: url, LANDBRIDGE_MAIL_FROM })
const none = await startHarness({}, { beside: service })
const lab = await startHarness({ LANDBRIDGE_LAB: 'true' }, { beside: service })

const link = 'https://portal.example.com/invitation/secret-of-the-link'
const queue = (to: string, by = service) =>
  queueMail(by.context, by.sql, [
    {
      to,
      kind: 'invitation',
      subject: 'You are invited',
      paragraphs: ['Hello.'],
      action: { label: 'Join', url: link },
    },
  ])

describe('operator: mail', () => {
  it('lists mails, newest first, by state and recipient, in pages', async () => {
    for (const name of ['a', 'b', 'c']) await queue(`${name}@example.com`)
    const all = await service.operator('GET', '/mails?limit=2')
    assert.deepEqual(
      all.body.items.map((mail: { recipient: string }) => mail.recipient),
      ['c@example.com', 'b@example.com'],
    )
    const rest = await service.operator('GET', `/mails?limit=2&after=${all.body.next}`)
    assert.deepEqual([rest.body.items[0].recipient, rest.body.next], ['a@example.com', null])
    assert.equal((await service.operator('GET', '/mails?state=sent')).body.items.length, 0)
    assert.equal((await service.operator('GET', '/mails?state=queued&recipient=B@Example.com')).body.items.length, 1)
    assert.equal((await service.operator('GET', '/mails?recipient=nobody@example.com')).body.items.length, 0)
    assert.equal((await service.operator('GET', '/mails?state=lost')).status, 422)
  })

  it('never shows what a mail says outside a lab without a mail server', async () => {
    await queue('secret@example.com')
    const [listed] = (await service.operator('GET', '/mails?recipient=secret@example.com')).body.items
    for (const by of [service, none, lab]) {
      const one = await by.operator('GET', `/mails/${listed.id}`)
      assert.deepEqual([one.status, one.body.content], [200, null])
      assert.ok(!JSON.stringify(one.body).includes('secret-of-the-link'))
    }
    await queue('reader@example.com', lab)
    const [kept] = (await lab.operator('GET', '/mails?recipient=reader@example.com')).body.items
    const readable = (await lab.operator('GET', `/mails/${kept.id}`)).body
    assert.deepEqual([readable.state, readable.content.link], ['kept', link])
    assert.match(readable.content.text, /Hello\..*secret-of-the-link/s)
    for (const by of [service, none]) assert.equal((await by.operator('GET', `/mails/${kept.id}`)).body.content, null)
    assert.ok(!JSON.stringify((await lab.operator('GET', '/mails')).body).includes('secret-of-the-link'))
  })

  it('a mail that waits is tried now; one under way or over is not', async () => {
    await queue('retry@example.com')
    const [{ id }] = (await service.operator('GET', '/mails?recipient=retry@example.com')).body.items
    await service.sql`update mails set next_attempt_at = next_attempt_at + interval '1 hour' where id = ${id}`
    const retried = await service.operator('POST', `/mails/${id}/retry`)
    assert.deepEqual([retried.status, retried.body.next_attempt_at], [202, service.clock.now().toISOString()])
    await claimMails(service.context, 100)
    const underWay = await service.operator('POST', `/mails/${id}/retry`)
    assert.deepEqual([underWay.status, underWay.body.code], [409, 'mail_under_way'])
    await service.sql`
      update mails set state = 'failed', next_attempt_at = null, attempting = false, content = null where id = ${id}`
    const over = await service.operator('POST', `/mails/${id}/retry`)
    assert.deepEqual([over.status, over.body.code], [409, 'mail_not_queued'])
    const missing = await service.operator('POST', '/mails/01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70/retry')
    assert.equal(missing.status, 404)
  })

  it('a test mail is sent at once, and has the words of the server', async () => {
    const sent = await service.operator('POST', '/mails/test', { to: 'Operator@example.com' })
    assert.deepEqual([sent.status, sent.body.state, sent.body.failure], [200, 'sent', null])
    assert.match(sent.body.response, /^250 /)
    assert.deepEqual(server.got.at(-1)!.to, ['operator@example.com'])
    server.onRecipient = () => {
      throw refusal(451, 'Greylisted, come back')
    }
    const failed = await service.operator('POST', '/mails/test', { to: 'operator@example.com' })
    assert.deepEqual([failed.status, failed.body.state], [200, 'failed'])
    assert.match(failed.body.response, /451 .*Greylisted/)
    server.onRecipient = () => {}
    const kept = await lab.operator('POST', '/mails/test', { to: 'operator@example.com' })
    assert.deepEqual([kept.body.state, /It works/.test(kept.body.content.text)], ['kept', true])
    const refused = await none.operator('POST', '/mails/test', { to: 'operator@example.com' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'mail_not_configured'])
    const before = server.connections
    for (const to of ['ada@example.com\r\nRCPT TO:<eve@evil.example>', '"e@evil.example"@example.com', 'a@b'])
      assert.equal((await service.operator('POST', '/mails/test', { to })).status, 422, to)
    assert.equal(server.connections, before)
  })

  it('tests are limited', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 12; n += 1)
      statuses.push((await service.operator('POST', '/mails/test', { to: 'operator@example.com' })).status)
    assert.equal(statuses.at(-1), 429)
  })

  it('says where mails are handed in, without the credentials', async () => {
    const { body } = await service.operator('GET', '/mail-server')
    assert.deepEqual(body, {
      state: 'sends',
      address: `smtp://127.0.0.1:${server.port} (not encrypted)`,
      from: LANDBRIDGE_MAIL_FROM,
    })
    assert.equal((await none.operator('GET', '/mail-server')).body.state, 'none')
    assert.equal((await lab.operator('GET', '/mail-server')).body.state, 'kept')
  })

  it('metrics: what waits, and what became of attempts', async () => {
    const { payload } = await service.app.inject({
      url: '/metrics',
      headers: { authorization: service.context.operatorKey },
    })
    assert.match(payload, /^landbridge_mails_queued \d+$/m)
    assert.match(payload, /^landbridge_mail_oldest_due_seconds \d/m)
    assert.match(payload, /^landbridge_mail_attempts_total\{outcome="sent"\} [1-9]/m)
    assert.ok(!payload.includes('hunter2'))
  })
})
