import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { transaction } from '../../platform/database/database.ts'
import { mailLimits } from '../../platform/own-limits.ts'
import { openContent, queueMail } from './mail-queue.ts'
import type { NewMail } from './new-mail.ts'

const settings = { LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1', LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' }
const service = await startHarness(settings)
const { sql, context, clock } = service
const { perRecipientAndKind } = mailLimits
const link = 'https://portal.example.com/invitation/secret-of-the-link'

const mail = (to: string, more: Partial<NewMail> = {}): NewMail => ({
  ...{ to, kind: 'invitation', subject: 'You are invited', paragraphs: ['Welcome.'] },
  ...{ action: { label: 'Join', url: link } },
  ...more,
})
const rowsTo = async (to: string) =>
  await sql<{ state: string; failure: string | null; content: Buffer | null; kind: string; subject: string }[]>`
    select state, failure, content, kind, subject from mails where recipient = ${to} order by id`
const statesTo = async (to: string) => (await rowsTo(to)).map(({ state }) => state)

describe('decision 8.70: the queue of mails', () => {
  it('what is rolled back is not queued', async () => {
    const failed = transaction(context.sql, async (tx) => {
      await queueMail(context, tx, [mail('back@example.com')])
      throw new Error('no')
    })
    await assert.rejects(failed)
    assert.deepEqual(await statesTo('back@example.com'), [])
  })

  it('the content is sealed', async () => {
    await queueMail(context, sql, [mail('sealed@example.com')])
    const [row] = await rowsTo('sealed@example.com')
    const text = JSON.stringify(await sql`select *, encode(content, 'escape') as text from mails`)
    assert.ok(!text.includes('secret-of-the-link'))
    assert.equal(openContent(context, row!.content!).action?.url, link)
  })

  it('more of a kind within an hour are dropped, with the reason; other kinds, people and hours are not', async () => {
    const to = 'flooded@example.com'
    for (let n = 0; n < perRecipientAndKind; n += 1) await queueMail(context, sql, [mail(to)])
    assert.equal(await queueMail(context, sql, [mail(to), mail('other@example.com')]), 1)
    const dropped = (await rowsTo(to)).at(-1)!
    assert.deepEqual([dropped.state, dropped.content], ['dropped', null])
    assert.match(dropped.failure!, /too many mails of this kind/)
    assert.equal(await queueMail(context, sql, [mail(to, { kind: 'password_reset' })]), 1)
    clock.forward(3_601)
    assert.equal(await queueMail(context, sql, [mail(to)]), 1)
  })

  it('also within one call; and of a flood, only so many are recorded', async () => {
    const to = 'list@example.com'
    const taken = await queueMail(
      context,
      sql,
      Array.from({ length: 5 * perRecipientAndKind }, () => mail(to)),
    )
    assert.equal(taken, perRecipientAndKind)
    const states = await statesTo(to)
    assert.deepEqual(
      states.map((state) => state === 'queued'),
      states.map((_, index) => index < perRecipientAndKind),
    )
    assert.equal(states.length, 2 * perRecipientAndKind)
  })

  it('another case of the same address counts as the same', async () => {
    for (let n = 0; n < perRecipientAndKind; n += 1) await queueMail(context, sql, [mail('Case@Example.com')])
    assert.equal(await queueMail(context, sql, [mail('cASE@example.com')]), 0)
  })

  it('also when many transactions queue at the same moment', async () => {
    const to = 'race@example.com'
    const calls = Array.from({ length: 3 * perRecipientAndKind }, () =>
      transaction(context.sql, async (tx) => await queueMail(context, tx, [mail(to)])),
    )
    const taken = (await Promise.all(calls)).reduce((sum, count) => sum + count, 0)
    assert.equal(taken, perRecipientAndKind)
  })

  it('two that mail the same people in another order do not wait for each other for ever', async () => {
    const people = Array.from({ length: 50 }, (_, index) => mail(`person${index}@example.com`, { kind: 'welcome' }))
    const calls = [people, people.toReversed(), people, people.toReversed()]
    await Promise.all(calls.map((list) => transaction(context.sql, (tx) => queueMail(context, tx, list))))
    const [row] = await sql`select count(*)::int as count from mails where kind = 'welcome' and state = 'queued'`
    assert.equal(row!.count, 200)
  })

  it('an address that is none is recorded, and nothing is thrown', async () => {
    const to = 'ada@example.com\r\nRCPT TO:<eve@evil.example>'
    assert.equal(await queueMail(context, sql, [mail(to)]), 0)
    const [row] = await rowsTo('ada@example.com RCPT TO:<eve@evil.example>')
    assert.deepEqual([row!.state, row!.content], ['dropped', null])
    assert.match(row!.failure!, /not one that mail is sent to/)
  })

  it('a subject is one line', async () => {
    await queueMail(context, sql, [
      mail('line@example.com', { subject: `A\r\nBcc: eve@evil.example\u2028${'x'.repeat(300)}` }),
    ])
    const [row] = await rowsTo('line@example.com')
    assert.match(row!.subject, /^A Bcc: eve@evil\.example x+…$/)
    assert.equal(row!.subject.length, 200)
  })
})

describe('without a mail server', () => {
  it('nothing is queued', async () => {
    const plain = await startHarness({}, { beside: service })
    assert.deepEqual(plain.context.mail, { enabled: false, delivers: false })
    assert.equal(await queueMail(plain.context, sql, [mail('nobody@example.com')]), 0)
    assert.deepEqual(await statesTo('nobody@example.com'), [])
  })

  it('a lab keeps mails to be read', async () => {
    const lab = await startHarness({ LANDBRIDGE_LAB: 'true' }, { beside: service })
    assert.deepEqual(lab.context.mail, { enabled: true, delivers: false })
    assert.equal(await queueMail(lab.context, sql, [mail('reader@example.com')]), 1)
    const [row] = await rowsTo('reader@example.com')
    assert.equal(row!.state, 'kept')
    assert.equal(openContent(context, row!.content!).action?.url, link)
  })
})
