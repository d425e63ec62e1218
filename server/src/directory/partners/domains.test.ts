import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../test/support/applications.ts'
import { walkToConsent } from '../../../../test/support/consent.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startNameServer } from '../../../../test/support/name-server.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'
import { listApprovalRequests } from '../../authorization/consent/approval-requests.ts'
import { listConnectedApps } from '../../authorization/consent/connected-apps.ts'
import { runJob } from '../../platform/jobs.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { createTextLookUp } from '../../platform/text-records.ts'
import { readDomain } from './domain-names.ts'
import { checkDomainsJob, judgeCheck } from './domains.ts'

const dns = await startNameServer()
const lookUpText = createTextLookUp({ nameServers: [dns.address], milliseconds: 1_000 })
const service = await startHarness()
service.context.lookUpText = lookUpText
const second = await startHarness({}, { beside: service })
second.context.lookUpText = lookUpText
const day = 86_400

async function enter(partner: TestPartner, domain: string) {
  const { status, body } = await partner.call('PUT', '/domain', { domain })
  assert.equal(status, 200, JSON.stringify(body))
  return body as { record_name: string; record_value: string; verified_at: string | null }
}

/** Enters the domain and publishes its record. */
async function publish(partner: TestPartner, domain: string) {
  const entered = await enter(partner, domain)
  dns.zone.set(entered.record_name, ['v=spf1 -all', ...texts(entered.record_name), entered.record_value])
  return entered
}

function texts(name: string): string[] {
  const records = dns.zone.get(name)
  return Array.isArray(records) ? records : []
}

const check = (partner: TestPartner) => partner.call('POST', '/domain/check')
const eventsOf = async (partner: TestPartner) => {
  const rows = await service.sql`
    select type, details from audit_events where partner_id = ${partner.id} and type like 'partner_domain.%' order by id`
  return rows.map(({ type, details }) => `${type} ${details.domain}`)
}

describe('decision 6.45: which domains', () => {
  for (const [sent, domain] of [
    ['acme.com', 'acme.com'],
    [' ACME.com. ', 'acme.com'],
    ['müller.de', 'xn--mller-kva.de'],
    ['аcme.com', 'xn--cme-5cd.com'],
    ['shop.acme.co.uk', 'shop.acme.co.uk'],
    ['例え.jp', 'xn--r8jz45g.jp'],
  ]) {
    it(`${sent} is ${domain}`, () => assert.deepEqual(readDomain(sent!), { domain }))
  }

  for (const sent of [
    ...['', 'com', 'localhost', 'acme.localhost', 'acme.test', 'acme.local', '1.2.3.4', '0x7f.1', '[::1]', '127.1'],
    ...['https://acme.com', 'acme.com/x', 'acme.com:443', 'ada@acme.com', 'ac me.com', '*.acme.com', '_x.acme.com'],
    ...['-acme.com', 'acme-.com', 'a..com', '.acme.com', 'acme.1', 'co.uk', 'com.au', 'github.io'],
    ...[
      `${'a'.repeat(64)}.com`,
      `${'abc.'.repeat(60)}com`,
      'ac%6de.com',
      'acme。com',
      'acme.com\u202e',
      'acme\u200d.com',
    ],
  ]) {
    it(`${JSON.stringify(sent)} is none`, () => assert.ok('problem' in readDomain(sent)))
  }
})

describe('decision 6.45: a verified domain', () => {
  it('is entered, checked and shown at consent, in connected apps and in approval requests; until then that it is not', async () => {
    const application = await registerApplication(service)
    const shown = async () => (await walkToConsent(service, application)).page.body
    assert.match(await shown(), /Domain not verified/)
    await service.sql`
      insert into partner_domains (partner_id, domain, token, verified_at, check_at, created_at)
      values (${application.partner_id}, 'xn--mller-kva.de', 't', now(), now(), now())`
    const page = await shown()
    assert.match(page, /xn--mller-kva\.de <span class="quiet">\(verified\)/)
    assert.doesNotMatch(page, /not verified/)
    const { client_id, customer_id, user_id } = application
    await service.sql`
      insert into approval_requests (id, client_id, customer_id, user_id, requested_at)
      values (${newId()}, ${client_id}, ${customer_id}, ${user_id}, now())`
    const [request] = (await listApprovalRequests(service.context, customer_id, {})).items
    await service.sql`
      insert into approvals (client_id, customer_id, policy, approved_by, approved_at)
      values (${client_id}, ${customer_id}, 'everyone', ${user_id}, now())`
    const [app] = (await listConnectedApps(service.context, customer_id, {})).items
    assert.deepEqual(
      [app!.partner_domain, request!.application.partner_domain],
      ['xn--mller-kva.de', 'xn--mller-kva.de'],
    )
    await service.sql`update partner_domains set verified_at = null where partner_id = ${application.partner_id}`
    assert.match(await shown(), /Domain not verified/)
  })

  it('needs its own record: none, another text and another partner’s are not enough', async () => {
    const acme = await newPartner(service, { name: 'Beacon One' })
    const other = await newPartner(service, { name: 'Beacon Two' })
    const { record_name, record_value, verified_at } = await enter(acme, 'Beacon-One.com')
    assert.equal(record_name, '_landbridge-challenge.beacon-one.com')
    assert.equal(verified_at, null)
    assert.equal((await check(acme)).body.result, 'missing')
    const theirs = await enter(other, 'beacon-one.com')
    assert.notEqual(theirs.record_value, record_value)
    dns.zone.set(record_name, [theirs.record_value, record_value.toUpperCase(), `${record_value} `])
    const wrong = await check(acme)
    assert.deepEqual([wrong.status, wrong.body.result, wrong.body.verified_at], [200, 'missing', null])
    dns.zone.set(record_name, [record_value])
    const right = await check(acme)
    assert.deepEqual([right.body.result, right.body.ends_at], ['found', null])
    assert.ok(right.body.verified_at)
    assert.equal((await enter(acme, 'beacon-one.com')).verified_at, right.body.verified_at, 'entered again')
    const events = ['partner_domain.entered beacon-one.com', 'partner_domain.verified beacon-one.com']
    assert.deepEqual(await eventsOf(acme), events)
  })

  it('belongs to one partner: of several that prove it at once on two processes, one gets it', async () => {
    const partners = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        newPartner(index % 2 ? second : service, { name: `Racer ${'abcdef'[index]}` }),
      ),
    )
    for (const partner of partners) await publish(partner, 'contested.com')
    const checks = await Promise.all(partners.map(check))
    assert.deepEqual(checks.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409])
    assert.ok(checks.filter(({ status }) => status === 409).every(({ body }) => body.code === 'domain_taken'))
    const winner = partners[checks.findIndex(({ status }) => status === 200)]!
    const loser = partners.find((partner) => partner !== winner)!
    assert.equal((await winner.call('DELETE', '/domain')).status, 204)
    assert.ok((await check(loser)).body.verified_at, 'free again')
    assert.equal((await winner.call('GET', '/domain')).body.domain, null)
  })

  it('is no longer verified when another one takes its place, even while the first is being checked', async () => {
    const partner = await newPartner(service, { name: 'Mover' })
    await publish(partner, 'mover-old.com')
    await check(partner)
    const { record_name } = await publish(partner, 'mover-new.com')
    assert.equal((await partner.call('GET', '/domain')).body.verified_at, null)
    const slow = lookUpText(record_name)
    service.context.lookUpText = async (name) => {
      await slow
      await enter(partner, 'mover-third.com')
      return await lookUpText(name)
    }
    const { body } = await check(partner)
    service.context.lookUpText = lookUpText
    assert.deepEqual([body.domain, body.verified_at, body.checked_at], ['mover-third.com', null, null])
  })

  it('is checked every day by one process; lost when the record was missing for seven days, not while DNS is silent', async () => {
    const partner = await newPartner(service, { name: 'Daily' })
    const { record_name, record_value } = await publish(partner, 'daily.com')
    await check(partner)
    const state = async () => (await partner.call('GET', '/domain')).body
    const nextDay = async () => {
      service.clock.forward(day)
      dns.asked.length = 0
      await Promise.all([service, second].map(({ sql, context }) => runJob(sql, checkDomainsJob(context))))
      return dns.asked.filter((name) => name === record_name).length
    }
    assert.equal(await nextDay(), 1)
    dns.zone.set(record_name, 'refused')
    for (let days = 0; days < 9; days += 1) await nextDay()
    assert.ok((await state()).verified_at, 'nine days without DNS')
    assert.equal((await state()).result, 'unreachable')
    dns.zone.delete(record_name)
    for (let days = 0; days < 7; days += 1) await nextDay()
    const warned = await state()
    assert.ok(warned.verified_at && warned.ends_at, 'six days after the first miss')
    dns.zone.set(record_name, [record_value])
    await nextDay()
    assert.equal((await state()).ends_at, null)
    dns.zone.delete(record_name)
    for (let days = 0; days < 8; days += 1) await nextDay()
    assert.equal((await state()).verified_at, null)
    assert.equal(await nextDay(), 0, 'what is not verified is checked on request only')
    assert.equal((await eventsOf(partner)).at(-1), 'partner_domain.lost daily.com')
  })

  it('a check that a killed process took is repeated', async () => {
    const partner = await newPartner(service, { name: 'Killed' })
    const { record_name } = await publish(partner, 'killed.com')
    await check(partner)
    service.clock.forward(day)
    service.context.lookUpText = () => Promise.reject(new Error('killed'))
    await assert.rejects(runJob(service.sql, checkDomainsJob(service.context)))
    service.context.lookUpText = lookUpText
    service.clock.forward(700)
    dns.asked.length = 0
    await runJob(second.sql, checkDomainsJob(second.context))
    assert.ok(dns.asked.includes(record_name))
  })

  it('is checked at most ten times per minute on request of a partner', async () => {
    const partner = await newPartner(service, { name: 'Eager' })
    assert.equal((await check(partner)).status, 404)
    await enter(partner, 'eager.com')
    const statuses = []
    for (let count = 0; count < 11; count += 1) statuses.push((await check(partner)).status)
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [10, 429])
  })

  it('judges: unreachable for 30 days ends it too', () => {
    const at = (days: number) => new Date(days * day * 1000)
    const verified = { verified_at: at(0), found_at: at(0), missing_since: null }
    assert.ok(judgeCheck(verified, 'unreachable', at(29)).verified_at)
    assert.equal(judgeCheck(verified, 'unreachable', at(30)).verified_at, null)
    assert.ok(judgeCheck({ ...verified, missing_since: at(1) }, 'unreachable', at(20)).verified_at)
    assert.equal(judgeCheck({ ...verified, missing_since: at(1) }, 'missing', at(8)).verified_at, null)
    assert.ok(judgeCheck({ ...verified, missing_since: at(1) }, 'missing', at(7)).verified_at)
  })
})
