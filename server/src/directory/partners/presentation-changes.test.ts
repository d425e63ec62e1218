import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { walkToConsent } from '../../../../test/support/consent.ts'
import { type Harness, startHarness } from '../../../../test/support/harness.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const service = await startHarness()
const second = await startHarness({}, { beside: service })

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const logoOf = (...more: number[]) => ({
  type: 'image/png',
  data: Buffer.concat([png, Buffer.from(more)]).toString('base64'),
})

let made = 0
const letters = 'abcdefghijkmnopqrstuvwxyz'

/** A partner with an application, both with names of their own. */
async function newPair(at: Harness = service) {
  made += 1
  const mark = letters[made % letters.length]!.repeat(3 + Math.floor(made / letters.length))
  const partner = await newPartner(at, { name: `Maker ${mark}` })
  const { body } = await service.operator('POST', `/partners/${partner.id}/applications`, {
    name: `Panel ${mark}`,
    redirect_uris: ['https://app.example.com/callback'],
  })
  return {
    partner,
    client_id: body.client_id as string,
    path: `/applications/${body.client_id}`,
    name: `Panel ${mark}`,
  }
}

const queueOf = async (partner: TestPartner) => {
  const { body } = await service.operator('GET', '/presentation-changes?limit=100')
  return body.items.filter(({ partner_id }: { partner_id: string }) => partner_id === partner.id)
}
const approve = (id: string, revision: number, at: Harness = service) =>
  at.operator('POST', `/presentation-changes/${id}/approve`, { revision })
const refuse = (id: string, revision: number, reason = 'No.') =>
  service.operator('POST', `/presentation-changes/${id}/refuse`, { revision, reason })
const eventsOf = async (partner: TestPartner) =>
  (
    await service.sql`
      select type, actor ->> 'kind' as actor from audit_events
      where partner_id = ${partner.id} and type like 'presentation_change.%' order by id`
  ).map(({ type, actor }) => `${type} ${actor}`)

describe('decision 6.46: what people see at consent changes when the operator approves it', () => {
  it('a new name, home page and logo of an application wait; people see the old ones until then', async () => {
    const { partner, client_id, path, name } = await newPair()
    const asked = await partner.call('PATCH', path, {
      name: 'Panel Renamed',
      home_page: 'https://new.example.com',
      redirect_uris: ['https://app.example.com/new'],
    })
    assert.equal(asked.status, 200)
    assert.deepEqual([asked.body.name, asked.body.home_page], [name, null])
    assert.deepEqual(asked.body.redirect_uris, ['https://app.example.com/new'], 'at once: nobody reads it')
    assert.deepEqual(asked.body.requested_change.fields.toSorted(), ['home_page', 'name'])
    const { body: more } = await partner.call('PATCH', path, { logo: logoOf(1) })
    assert.deepEqual(
      [more.logo, more.requested_change.revision, more.requested_change.name],
      [null, 2, 'Panel Renamed'],
    )

    const application = { client_id, redirect_uri: 'https://app.example.com/new', email: partner.email }
    const page = async () => (await walkToConsent(service, application as never)).page.body
    assert.doesNotMatch(await page(), /Panel Renamed|new\.example\.com|<img src="\/pages\/applications/)

    const [waiting] = await queueOf(partner)
    assert.deepEqual(waiting.current, { name, home_page: null, logo: null, requested_permissions: null })
    assert.equal(waiting.partner_domain, null)
    const { body: one } = await service.operator('GET', `/presentation-changes/${waiting.id}`)
    assert.deepEqual(one.logo, logoOf(1))
    assert.equal((await approve(waiting.id, 1)).body.code, 'change_replaced', 'an earlier revision')
    assert.equal((await approve(waiting.id, 2)).status, 204)
    assert.equal((await approve(waiting.id, 2)).status, 404, 'decided')
    const { body: now } = await partner.call('GET', path)
    assert.deepEqual(
      [now.name, now.home_page, now.requested_change],
      ['Panel Renamed', 'https://new.example.com', null],
    )
    assert.deepEqual((await service.app.inject({ url: now.logo })).rawPayload.toString('base64'), logoOf(1).data)
    assert.match(await page(), /Panel Renamed/)
    const requested = 'presentation_change.requested api_key'
    assert.deepEqual(await eventsOf(partner), [requested, requested, 'presentation_change.approved operator'])
  })

  it('a partner’s own name and logo wait too; its colour does not', async () => {
    const { partner } = await newPair()
    const { body: before } = await partner.call('GET', '/info')
    const { body } = await partner.call('PATCH', '/info', {
      name: 'Maker New',
      logo: logoOf(2),
      accent_color: '#7a3cff',
    })
    assert.deepEqual([body.name, body.logo, body.accent_color], [before.name, null, '#7a3cff'])
    const [{ id, revision, client_id }] = await queueOf(partner)
    assert.equal(client_id, null)
    assert.equal((await approve(id, revision)).status, 204)
    const { body: after } = await partner.call('GET', '/info')
    assert.deepEqual([after.name, after.requested_change, after.accent_color], ['Maker New', null, '#7a3cff'])
    assert.equal((await service.app.inject({ url: after.logo })).rawPayload.toString('base64'), logoOf(2).data)
  })

  it('a refusal has a reason that the partner sees, until it asks again or puts it away', async () => {
    const { partner, path, name } = await newPair()
    const { body } = await partner.call('PATCH', path, { name: 'Free Money', logo: logoOf(3) })
    const { id, revision } = body.requested_change
    assert.equal((await refuse(id, revision + 1)).body.code, 'change_replaced')
    assert.equal((await refuse(id, revision, ' ')).status, 422)
    assert.equal((await refuse(id, revision, 'Not your name.')).status, 204)
    assert.equal((await refuse(id, revision)).status, 404)
    assert.equal((await approve(id, revision)).status, 404, 'a refused one does not wait')
    const { body: refused } = await partner.call('GET', path)
    assert.deepEqual([refused.name, refused.requested_change.reason], [name, 'Not your name.'])
    const { body: again } = await partner.call('PATCH', path, { home_page: 'https://again.example.com' })
    const { fields, reason, refused_at } = again.requested_change
    assert.deepEqual([fields, reason, refused_at], [['home_page'], null, null], 'without what was refused')
    assert.equal((await partner.call('GET', `/presentation-changes/${again.requested_change.id}`)).body.logo, null)
    const details = (await eventsOf(partner)).filter((event) => event.includes('refused'))
    assert.deepEqual(details, ['presentation_change.refused operator'])
  })

  it('can be withdrawn, by asking for what is in force as well', async () => {
    const { partner, path, name } = await newPair()
    const { body } = await partner.call('PATCH', path, { name: 'Panel Other' })
    assert.equal((await partner.call('DELETE', `/presentation-changes/${body.requested_change.id}`)).status, 204)
    assert.equal((await partner.call('GET', path)).body.requested_change, null)
    await partner.call('PATCH', path, { name: 'Panel Other', home_page: 'https://x.example.com' })
    const less = await partner.call('PATCH', path, { name })
    assert.deepEqual(less.body.requested_change.fields, ['home_page'])
    assert.equal((await partner.call('PATCH', path, { home_page: null })).body.requested_change, null)
    assert.deepEqual(await queueOf(partner), [])
    assert.equal(
      (await eventsOf(partner)).filter((event) => event.startsWith('presentation_change.withdrawn')).length,
      2,
    )
  })

  it('asking for the same again keeps the revision: an operator who looks at it can approve it', async () => {
    const { partner, path } = await newPair()
    const change = { name: 'Panel Same', logo: logoOf(4) }
    const { body: first } = await partner.call('PATCH', path, change)
    const { body: again } = await partner.call('PATCH', path, change)
    assert.equal(again.requested_change.revision, first.requested_change.revision)
    const { body: swapped } = await partner.call('PATCH', path, { logo: logoOf(5) })
    assert.equal(swapped.requested_change.revision, first.requested_change.revision + 1, 'another logo')
  })

  it('the operator’s own change takes effect at once, and what was asked for these fields no longer waits', async () => {
    const { partner, path } = await newPair()
    await partner.call('PATCH', path, { name: 'Panel Wish', home_page: 'https://wish.example.com' })
    const [{ id, revision }] = await queueOf(partner)
    const { body } = await service.operator('PATCH', path, { name: 'Panel Decided' })
    assert.equal(body.name, 'Panel Decided')
    assert.deepEqual(body.requested_change.fields, ['home_page'])
    assert.equal((await approve(id, revision)).body.code, 'change_replaced')
    await service.operator('PATCH', path, { home_page: 'https://decided.example.com' })
    assert.deepEqual(await queueOf(partner), [])
    await partner.call('PATCH', '/info', { name: 'Maker Wish' })
    await service.operator('PATCH', `/partners/${partner.id}`, { name: 'Maker Decided' })
    assert.deepEqual(await queueOf(partner), [])
  })

  it('decision 6.52: requested permissions wait with their reasons, beside those in force', async () => {
    const { partner, path } = await newPair()
    const devices = { level: 'read', reason: 'Shows which rooms are free.' }
    const none = { level: 'none', reason: 'Not needed.' }
    const { body: asked } = await partner.call('PATCH', path, { requested_permissions: { spaces: none, devices } })
    assert.equal(asked.requested_permissions, null, 'everything, until the operator approves')
    assert.deepEqual(asked.requested_change.fields, ['requested_permissions'])
    assert.deepEqual(asked.requested_change.requested_permissions, { devices })
    const { body: again } = await partner.call('PATCH', path, { requested_permissions: { devices, people: none } })
    assert.equal(again.requested_change.revision, 1, 'the same again')
    const [waiting] = await queueOf(partner)
    assert.deepEqual([waiting.current.requested_permissions, waiting.requested_permissions], [null, { devices }])
    assert.equal((await approve(waiting.id, 1)).status, 204)
    assert.deepEqual((await partner.call('GET', path)).body.requested_permissions, { devices })
    const { body: same } = await partner.call('PATCH', path, { requested_permissions: { devices } })
    assert.equal(same.requested_change, null, 'as it is')

    const { body: everything } = await partner.call('PATCH', path, { requested_permissions: null })
    assert.deepEqual(everything.requested_change.fields, ['requested_permissions'])
    assert.equal(everything.requested_change.requested_permissions, null)
    await service.operator('PATCH', path, { requested_permissions: {} })
    assert.deepEqual(await queueOf(partner), [], 'the operator’s own change settles it')
    const [event] = await service.sql`
      select details::jsonb as details from audit_events
      where partner_id = ${partner.id} and type = 'presentation_change.approved'`
    assert.deepEqual(event!.details, { fields: ['requested_permissions'], requested_permissions: ['devices: read'] })
  })

  it('decision 6.52: requested permissions that nobody could grant → 422, and in a lab they count at once', async () => {
    const { partner, path } = await newPair()
    for (const wrong of [{ doors: {} }, { devices: { level: 'read' } }, { audit: { level: 'manage', reason: 'x' } }]) {
      assert.equal((await partner.call('PATCH', path, { requested_permissions: wrong })).status, 422)
    }
    service.context.config.lab = true
    const audit = { level: 'read', reason: 'Looks for mistakes.' }
    const { body } = await partner.call('PATCH', path, { requested_permissions: { audit } })
    service.context.config.lab = false
    assert.deepEqual([body.requested_permissions, body.requested_change], [{ audit }, null])
  })

  it('in a lab a change counts as approved', async () => {
    const { partner, path } = await newPair()
    service.context.config.lab = true
    const { body } = await partner.call('PATCH', path, { name: 'Panel Lab', logo: logoOf(6) })
    const info = await partner.call('PATCH', '/info', { name: 'Maker Lab' })
    service.context.config.lab = false
    assert.deepEqual([body.name, body.requested_change, info.body.name], ['Panel Lab', null, 'Maker Lab'])
    assert.ok(body.logo)
  })
})

describe('decision 6.46: attacks', () => {
  it('names are judged when asked for and when approved: of two alike one is approved, whatever the process', async () => {
    const one = await newPair()
    const two = await newPair(second)
    for (const name of ['Landbridge', 'Support']) {
      assert.equal((await one.partner.call('PATCH', '/info', { name })).status, 422, name)
      assert.equal((await one.partner.call('PATCH', one.path, { name })).status, 422, name)
    }
    const asked = await Promise.all([
      one.partner.call('PATCH', '/info', { name: 'Quay Sound' }),
      two.partner.call('PATCH', '/info', { name: 'Quаy Sound' }),
    ])
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 200],
      'neither has it yet',
    )
    const ids = asked.map(({ body }) => body.requested_change.id as string)
    const decided = await Promise.all([approve(ids[0]!, 1), approve(ids[1]!, 1, second)])
    assert.deepEqual(decided.map(({ status }) => status).toSorted(), [204, 409])
    const loser = decided.findIndex(({ status }) => status === 409)
    assert.equal(decided[loser]!.body.code, 'name_confusable')
    const { partner } = [one, two][loser]!
    assert.equal((await queueOf(partner)).length, 1, 'it still waits, and can be refused')
    assert.match((await partner.call('GET', '/info')).body.name, /^Maker/)
  })

  it('the operator’s freedom to name does not extend to what a partner asked', async () => {
    const { partner } = await newPair()
    const { body } = await partner.call('PATCH', '/info', { name: 'Twin Peak' })
    const other = await newPair()
    assert.equal((await service.operator('PATCH', `/partners/${other.partner.id}`, { name: 'Twin Peak' })).status, 200)
    assert.equal((await approve(body.requested_change.id, 1)).body.code, 'name_confusable')
  })

  it('a logo that is swapped while the operator approves never shows without its own approval', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { partner, path } = await newPair()
      const { body } = await partner.call('PATCH', path, { logo: logoOf(10) })
      const { id, revision } = body.requested_change
      const [approved] = await Promise.all([
        approve(id, revision, second),
        partner.call('PATCH', path, { logo: logoOf(11) }),
      ])
      const { body: after } = await partner.call('GET', path)
      if (approved.status === 204) {
        const shown = (await service.app.inject({ url: after.logo })).rawPayload.toString('base64')
        assert.equal(shown, logoOf(10).data)
        assert.deepEqual(after.requested_change?.fields, ['logo'], 'the other one waits')
      } else {
        assert.deepEqual([approved.status, after.logo], [409, null])
      }
    }
  })

  it('of two operators, or of an operator and a partner who withdraws, one decides', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { partner, path } = await newPair()
      const { body } = await partner.call('PATCH', path, { home_page: 'https://race.example.com' })
      const { id } = body.requested_change
      const [one, two, withdrawn] = await Promise.all([
        approve(id, 1),
        approve(id, 1, second),
        partner.call('DELETE', `/presentation-changes/${id}`),
      ])
      const statuses = [one.status, two.status, withdrawn.status]
      assert.equal(statuses.filter((status) => status === 204).length, 1, String(statuses))
      const { body: after } = await partner.call('GET', path)
      assert.equal(after.home_page === null, withdrawn.status === 204)
      assert.equal((await eventsOf(partner)).length, 2)
    }
  })

  it('one partner neither reads nor withdraws another’s change, nor asks for another’s application', async () => {
    const mine = await newPair()
    const theirs = await newPair()
    const { body } = await theirs.partner.call('PATCH', theirs.path, { name: 'Panel Secret', logo: logoOf(7) })
    const path = `/presentation-changes/${body.requested_change.id}`
    for (const method of ['GET', 'DELETE'] as const) {
      const foreign = await mine.partner.call(method, path)
      const unknown = await mine.partner.call(method, `/presentation-changes/${newId()}`)
      assert.deepEqual([foreign.status, foreign.body], [404, unknown.body])
    }
    assert.equal((await mine.partner.call('PATCH', theirs.path, { name: 'Panel Stolen' })).status, 404)
    assert.equal((await theirs.partner.call('GET', path)).body.logo.data, logoOf(7).data)
  })

  it('of many changes by a partner at once one request is left, with all their fields', async () => {
    const { partner, path } = await newPair()
    await Promise.all([
      ...Array.from({ length: 6 }, () => partner.call('PATCH', path, { name: 'Panel Many' })),
      partner.call('PATCH', path, { logo: logoOf(8) }),
      partner.call('PATCH', path, { home_page: 'https://many.example.com' }),
    ])
    const waiting = await queueOf(partner)
    assert.equal(waiting.length, 1)
    assert.deepEqual(waiting[0].fields.toSorted(), ['home_page', 'logo', 'name'])
    assert.equal(waiting[0].revision, 3)
  })
})
