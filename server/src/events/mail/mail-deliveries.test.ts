import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHarness } from '../../../../test/support/harness.ts'
import { refusal, startMailServer, startRawServer } from '../../../../test/support/mail-server.ts'
import { until } from '../../../../test/support/until.ts'
import { mailLimits } from '../../platform/own-limits.ts'
import { claimMails, deleteOldMailsJob, deliverMail } from './mail-deliveries.ts'
import type { MailKind } from './mail-kinds.ts'
import { startMails } from './mail-loop.ts'
import { queueMail } from './mail-queue.ts'

const server = await startMailServer()
const LANDBRIDGE_MAIL_FROM = 'Landbridge <no-reply@example.com>'
const service = await startHarness({ LANDBRIDGE_MAIL_URL: server.url, LANDBRIDGE_MAIL_FROM })
const { sql, context, clock } = service
const secret = 'Zk3vYtq8sUcretOfTheLink'

let counter = 0
async function queue(kind: MailKind = 'invitation', more: { useful_until?: Date } = {}): Promise<string> {
  const to = `person${++counter}@example.com`
  const action = { label: 'Join', url: `https://portal.example.com/${secret}` }
  await queueMail(context, sql, [{ to, kind, subject: 'Hello', paragraphs: ['Hello.'], action, ...more }])
  return to
}

async function rowOf(to: string) {
  const [row] = await sql<
    {
      id: string
      state: string
      attempts: number
      response: string | null
      failure: string | null
      content: Buffer | null
      next_attempt_at: Date | null
    }[]
  >`select * from mails where recipient = ${to}`
  return row!
}

/** Everything that is due, once. */
async function deliverDue(of = context): Promise<void> {
  const claimed = await claimMails(of, 50)
  await Promise.all(claimed.map((mail) => deliverMail(of, mail)))
}

const gotBy = (to: string) => server.got.filter((mail) => mail.to.includes(to))

async function reset(): Promise<void> {
  server.onRecipient = () => {}
  server.onMail = () => {}
  await sql`update mails set state = 'failed', next_attempt_at = null, content = null where state = 'queued'`
}

describe('decision 8.70: mails are delivered', () => {
  beforeEach(reset)

  it('once, and the content is erased', async () => {
    const to = await queue()
    await deliverDue()
    await deliverDue()
    assert.equal(gotBy(to).length, 1)
    assert.ok(gotBy(to)[0]!.text.includes(secret))
    const row = await rowOf(to)
    assert.deepEqual([row.state, row.content, row.attempts, row.failure], ['sent', null, 1, null])
    assert.match(row.response!, /^250 /)
  })

  it('a recipient that is refused for good is not tried again', async () => {
    const to = await queue()
    server.onRecipient = () => {
      throw refusal(550, 'No such user')
    }
    await deliverDue()
    clock.forward(100_000)
    await deliverDue()
    const row = await rowOf(to)
    assert.deepEqual([row.state, row.content, row.attempts], ['failed', null, 1])
    assert.match(row.response!, /^550 .*No such user/)
  })

  it('greylisting: 451, then it is taken', async () => {
    const to = await queue()
    server.onRecipient = () => {
      throw refusal(451, 'Try again later')
    }
    await deliverDue()
    const waiting = await rowOf(to)
    assert.deepEqual([waiting.state, waiting.attempts], ['queued', 1])
    assert.match(waiting.response!, /^451 /)
    const delay = waiting.next_attempt_at!.getTime() - clock.now().getTime()
    assert.ok(delay >= 4_500 && delay <= 5_500, String(delay))
    server.onRecipient = () => {}
    await deliverDue()
    assert.equal(gotBy(to).length, 0, 'too early')
    clock.forward(6)
    await deliverDue()
    assert.deepEqual([gotBy(to).length, (await rowOf(to)).state], [1, 'sent'])
  })

  it('is given up after a day, with the last words of the server, and the content is erased', async () => {
    const to = await queue()
    server.onRecipient = () => {
      throw refusal(452, 'Mailbox full')
    }
    for (let n = 0; n < 20 && (await rowOf(to)).state === 'queued'; n += 1) {
      await deliverDue()
      clock.forward(5 * 3_600)
    }
    const row = await rowOf(to)
    assert.deepEqual([row.state, row.content], ['failed', null])
    assert.match(row.response!, /Mailbox full/)
    assert.ok(row.attempts > 3 && row.attempts < 12, String(row.attempts))
  })

  it('is not sent once its link has expired', async () => {
    const to = await queue('email_code', { useful_until: new Date(clock.now().getTime() + 900_000) })
    clock.forward(901)
    await deliverDue()
    const row = await rowOf(to)
    assert.deepEqual([row.state, row.content, gotBy(to).length], ['failed', null, 0])
    assert.match(row.failure!, /expired/)
  })

  it('a retry is not made for later than its link is valid', async () => {
    const to = await queue('email_code', { useful_until: new Date(clock.now().getTime() + 3_000) })
    server.onRecipient = () => {
      throw refusal(451, 'Later')
    }
    await deliverDue()
    assert.equal((await rowOf(to)).state, 'failed')
  })

  it('the message id is the same at every attempt', async () => {
    const to = await queue()
    const ids: string[] = []
    server.onMail = ({ raw }) => {
      ids.push(/^Message-ID: (.+)\r$/im.exec(raw)![1]!)
      if (ids.length === 1) throw refusal(451, 'Later')
    }
    await deliverDue()
    clock.forward(6)
    await deliverDue()
    assert.deepEqual([ids.length, new Set(ids).size, gotBy(to).length], [2, 1, 1])
    assert.ok(ids[0]!.includes((await rowOf(to)).id))
  })

  it('what was sealed with another key is given up, and says so', async () => {
    const to = await queue()
    const other = await startHarness({ LANDBRIDGE_MAIL_URL: server.url, LANDBRIDGE_MAIL_FROM }, { beside: service })
    other.context.masterKey = {
      ...other.context.masterKey,
      open() {
        throw new Error('wrong key')
      },
    }
    await deliverDue(other.context)
    const row = await rowOf(to)
    assert.deepEqual([row.state, /master key/.test(row.failure!)], ['failed', true])
  })

  it('many processes at once: each mail is sent once', async () => {
    const people: string[] = []
    for (let n = 0; n < 40; n += 1) people.push(await queue())
    server.onMail = () => sleep(5)
    const others = await Promise.all(
      [1, 2].map(() => startHarness({ LANDBRIDGE_MAIL_URL: server.url, LANDBRIDGE_MAIL_FROM }, { beside: service })),
    )
    const processes = [context, ...others.map((other) => other.context)].map((each) =>
      startMails(each, { everyMs: 50 }),
    )
    clock.forward(10)
    await until(async () => (await sql`select from mails where state = 'queued'`).length === 0, 'all mails')
    await Promise.all(processes.map((each) => each.stop()))
    for (const to of people) assert.equal(gotBy(to).length, 1, to)
  })

  it('a process that has stopped in the middle: another sends it after the lease', async () => {
    const to = await queue()
    await claimMails(context, 50)
    await deliverDue()
    assert.equal(gotBy(to).length, 0)
    clock.forward(mailLimits.attemptMilliseconds / 1000 + 31)
    await deliverDue()
    assert.deepEqual([gotBy(to).length, (await rowOf(to)).attempts], [1, 2])
  })

  it('a process that lost its lease does not change what another has settled', async () => {
    const to = await queue()
    const [late] = await claimMails(context, 50)
    clock.forward(mailLimits.attemptMilliseconds / 1000 + 31)
    await deliverDue()
    server.onRecipient = () => {
      throw refusal(550, 'No')
    }
    await deliverMail(context, late!)
    assert.equal((await rowOf(to)).state, 'sent')
  })

  it('its own commit wakes the process that queued it, and what a person waits for comes first', async () => {
    const running = startMails(context, { everyMs: 3_600_000 })
    await sleep(300)
    const order: string[] = []
    server.onRecipient = (address) => {
      order.push(address)
    }
    const to = await queue()
    await until(() => gotBy(to).length === 1, 'a mail by its commit', 10)
    await running.stop()
    const slow = await Promise.all([queue(), queue(), queue()])
    const fast = await queue('password_reset')
    const [first] = await claimMails(context, 1)
    assert.equal(first!.recipient, fast)
    assert.ok(!slow.includes(first!.recipient))
  })

  it('one at a time, while the process has much else to do, and more again afterwards', async () => {
    let [isBusy, underWay, most] = [true, 0, 0]
    server.onMail = async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await sleep(20)
      underWay -= 1
    }
    const people: string[] = []
    for (let n = 0; n < 30; n += 1) people.push(await queue())
    const got = () => people.filter((to) => gotBy(to).length === 1).length
    const running = startMails(context, { everyMs: 50, isBusy: () => isBusy })
    await until(() => got() >= 4, 'some mails')
    assert.equal(most, 1)
    isBusy = false
    await until(() => got() === people.length, 'all mails')
    assert.ok(most > 1)
    await running.stop()
  })

  it('old ones are deleted, those that wait are not', async () => {
    const old = await queue()
    await deliverDue()
    const waiting = await queue()
    clock.forward(13 * 86_400)
    await deleteOldMailsJob(context).runShared()
    assert.equal((await rowOf(old)).state, 'sent')
    clock.forward(2 * 86_400)
    await deleteOldMailsJob(context).runShared()
    assert.deepEqual([await rowOf(old), (await rowOf(waiting)).state], [undefined, 'queued'])
  })
})

describe('a mail server that takes no mail', () => {
  beforeEach(reset)

  it('that hangs holds up nothing else: the others wait without losing attempts, and the process stops soon', async () => {
    let opened = 0
    const hanging = await startRawServer(() => {
      opened += 1
    })
    const other = await startHarness({ LANDBRIDGE_MAIL_URL: hanging.url, LANDBRIDGE_MAIL_FROM }, { beside: service })
    for (let n = 0; n < 30; n += 1) await queue()
    const running = startMails(other.context, { everyMs: 50, stopMs: 100, isBusy: () => false })
    await until(() => opened === mailLimits.atOnce, 'attempts')
    await sleep(300)
    assert.equal(opened, mailLimits.atOnce)
    assert.equal((await sql`select 1 as one`).length, 1)
    const startedAt = performance.now()
    await running.stop()
    assert.ok(performance.now() - startedAt < 3_000)
    const attempted = await sql`select attempts from mails where state = 'queued' and attempts > 0`
    assert.equal(attempted.length, mailLimits.atOnce)
    assert.ok((await sql`select from mails where attempting`).length === 0, 'settled, to be tried again at their time')
  })

  it('that is gone is tried now and then, by one mail, and then all are sent', async () => {
    const port = server.port
    await server.close()
    const people: string[] = []
    for (let n = 0; n < 12; n += 1) people.push(await queue())
    const running = startMails(context, { everyMs: 20, isBusy: () => false })
    const tried = async () => (await sql`select from mails where attempts > 0 and state = 'queued'`).length
    await until(async () => (await tried()) >= mailLimits.atOnce, 'the first attempts')
    await sleep(200)
    assert.equal(await tried(), mailLimits.atOnce, 'paused: the clock of this test stands still')
    clock.forward(32)
    await until(
      async () => (await sql`select from mails where attempts > 1 or attempts > 0 and state = 'queued'`).length > 5,
    )
    const back = await startMailServer({}, '127.0.0.1', port)
    for (let n = 0; n < 60 && back.got.length < 12; n += 1) {
      clock.forward(32)
      await sleep(100)
    }
    await running.stop()
    assert.deepEqual(back.got.flatMap(({ to }) => to).toSorted(), people.toSorted())
  })
})
