import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, online, refused, register, send, startScene } from '../../../../test/support/devices.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { claimDevice } from './claim.ts'
import { countMatching, listDevices } from './device-lists.ts'
import { narrowed, searchFilter } from './device-search.ts'
import { changeDevice, removeDevice } from './devices.ts'

const { context, customer, model, newSpace, service, user } = await startScene()

describe('device lists', () => {
  it('filters by space, model, status and claim, alone and together, and page by page', async () => {
    const own = await newModel(service)
    const lab = { customer_id: own.lab_customer_id }
    const spaces = [await newSpace(own.lab_customer_id), await newSpace(own.lab_customer_id)]
    const all: { id: string; space_id: string | null; status: string; claimed: boolean }[] = []
    for (let n = 0; n < 24; n += 1) {
      const identity = { mac: newMac(), sn: `list-${n}` }
      const device = await register(service, own, identity)
      const space_id = spaces[n % 3] ?? null
      const isClaimed = n % 4 !== 3
      const status = n % 2 ? 'online' : 'never_seen'
      if (n % 2) await send(service, device, online({}))
      if (isClaimed) {
        const claim = { ...identity, model_id: own.id, space_id }
        await claimDevice(context, user, { customer_id: own.lab_customer_id }, '192.0.2.1', claim)
      }
      all.push({ id: device.id, space_id, status, claimed: isClaimed })
    }
    const pages = async (owner: Parameters<typeof listDevices>[1], query: object) => {
      const ids: string[] = []
      let after: string | undefined
      do {
        const page = await listDevices(context, owner, { ...query, limit: 3, ...(after ? { after } : {}) })
        ids.push(...page.items.map(({ id }) => id))
        after = page.next ?? undefined
      } while (after)
      return ids
    }
    const ids = (keep: (device: (typeof all)[number]) => boolean) => all.filter(keep).map(({ id }) => id)
    assert.deepEqual(
      await pages(lab, {}),
      ids(({ claimed }) => claimed),
    )
    assert.deepEqual(
      await pages(lab, { statuses: ['online'] }),
      ids(({ claimed, status }) => claimed && status === 'online'),
    )
    assert.deepEqual(
      await pages(lab, { space_ids: [spaces[0]] }),
      ids(({ claimed, space_id }) => claimed && space_id === spaces[0]),
    )
    assert.deepEqual(
      await pages(lab, { space_ids: spaces, model_id: own.id, statuses: ['never_seen'] }),
      ids(({ claimed, space_id, status }) => claimed && space_id !== null && status === 'never_seen'),
    )
    assert.deepEqual(await pages(lab, { model_id: model.id }), [])
    // Of many spaces the list is walked as a whole; it has the same devices in the same order.
    const many = [...spaces, ...Array.from({ length: 200 }, newId)]
    for (const query of [
      ...[
        {},
        { statuses: ['online'] },
        { model_id: own.id },
        { search: 'list-1' },
        { search: 'li' },
        { search: '-13' },
      ],
      ...['-registered_at', 'status', '-status', 'model', 'space', '-sn'].map((sort) => ({ sort })),
    ]) {
      const of = (space_ids: string[]) => pages(lab, { ...query, space_ids })
      const [few, all] = [await of(spaces), await of(many)]
      assert.ok(few.length > 0)
      assert.deepEqual(all, few, JSON.stringify(query))
    }
    const fleet = { partner_id: own.partner_id }
    assert.deepEqual(
      await pages(fleet, {}),
      ids(() => true),
    )
    assert.deepEqual(
      await pages(fleet, { claimed: false, model_id: own.id }),
      ids(({ claimed }) => !claimed),
    )
    assert.deepEqual(
      await pages(fleet, { claimed: true, statuses: ['online'] }),
      ids(({ claimed, status }) => claimed && status === 'online'),
    )
    const found = await pages(fleet, { search: 'LIST-1', statuses: ['online'] })
    assert.deepEqual(
      found.toSorted(),
      ids(() => true)
        .filter((_, n) => n % 2 && `list-${n}`.startsWith('list-1'))
        .toSorted(),
    )
  })

  it('searches for a part of the name, the MAC with any separator, or the serial number', async () => {
    const own = await newModel(service)
    const lab = own.lab_customer_id
    const claim = async (mac: string, sn: string, name: string | null) => {
      const { id } = await register(service, own, { mac, sn })
      await claimDevice(context, user, { customer_id: lab }, '192.0.2.1', { mac, sn, model_id: own.id, name })
      return id
    }
    const a = await claim('aa:bb:cc:00:00:01', 'Xy1', 'Room sensor 3')
    const b = await claim('aa:bb:cc:00:00:02', 'aa2', '100% \\ Kitchen_2')
    const c = await claim('00:00:00:00:00:03', 'AA3', null)
    const search = async (text: string, owner: Parameters<typeof listDevices>[1] = { customer_id: lab }) => {
      const ids = (await listDevices(context, owner, { search: text })).items.map(({ id }) => id)
      // No index has this order, so that the index of texts is searched, whose condition is another.
      const found = (await listDevices(context, owner, { search: text, sort: 'last_seen_at' })).items
      assert.deepEqual(found.map(({ id }) => id).toSorted(), ids.toSorted(), text)
      assert.equal((await countMatching(context, owner, { search: text })).total, ids.length, text)
      return ids
    }
    assert.deepEqual(await search('sensor'), [a])
    assert.deepEqual(await search('OM SENS'), [a])
    assert.deepEqual(await search('itchen'), [b])
    assert.deepEqual(await search('bb-cc-00'), [a, b])
    assert.deepEqual(await search('aa:bb:cc:00:00:02'), [b])
    assert.deepEqual(await search('AABBCC'), [a, b])
    assert.deepEqual(await search('xY1'), [a])
    // One or two characters: the beginning of a word.
    assert.deepEqual(await search('3'), [a])
    assert.deepEqual(await search('aa'), [a, b, c])
    assert.deepEqual(await search('oo'), [])
    // What LIKE would take for a pattern is text.
    assert.deepEqual(await search('%'), [])
    assert.deepEqual(await search('0% \\ k'), [b])
    assert.deepEqual(await search('n_2'), [b])
    for (const nothing of ['%%%', '___', 'k%n', '\\\\\\', 'x'.repeat(128), '\u0000\u0007x\u0000y', '😀😀😀', '---']) {
      assert.deepEqual(await search(nothing), [], nothing)
    }
    assert.equal((await search('\u0000')).length, 3, 'nothing to search for')
    // The partner does not know the customer's names (contract 1.5).
    assert.deepEqual(await search('kit', { partner_id: own.partner_id }), [])
    assert.deepEqual(await search('sensor', { partner_id: own.partner_id }), [])
    assert.deepEqual(await search('bbcc', { partner_id: own.partner_id }), [a, b])
    // A new name is found at once, the former one no more; a removed device is not found.
    await changeDevice(context, user, { customer_id: lab }, a, { name: 'Cellar' })
    assert.deepEqual([await search('ella'), await search('sensor')], [[a], []])
    await removeDevice(context, user, { customer_id: lab }, a)
    assert.deepEqual([await search('ella'), await search('aabbcc')], [[], [b]])
  })

  it('searches the index by the rarest parts of a text only, and by the owner where it has few of all devices', async () => {
    const own = await newModel(service)
    const lab = { customer_id: own.lab_customer_id }
    for (let n = 0; n < 30; n += 1) {
      const identity = { mac: newMac(), sn: `g${n}` }
      await register(service, own, identity)
      const name = n === 7 ? 'Valve 7777' : `Valve ${n}`
      await claimDevice(context, user, { customer_id: own.lab_customer_id }, '192.0.2.1', {
        ...identity,
        model_id: own.id,
        name,
      })
    }
    const filter = searchFilter('VALVE 7777')
    await context.sql`analyze device_texts`
    const large = await narrowed(context, lab, filter)
    assert.deepEqual(large.parts!.flat().toSorted(), [' 77', '777'])
    assert.equal(large.by_owner, false, 'most devices are of this owner, or many')
    const { by_owner } = await narrowed(context, { customer_id: newId() }, filter)
    assert.equal(by_owner, true, 'an owner without devices')
    assert.equal((await listDevices(context, lab, { search: 'VALVE 7777', sort: 'name' })).items.length, 1)
    assert.equal(
      (await listDevices(context, { customer_id: newId() }, { search: 'valve', sort: 'name' })).items.length,
      0,
    )
  })

  it('searches without regard to case, for letters beyond a to z too', async () => {
    const own = await newModel(service)
    const identity = { mac: newMac(), sn: 'ÜNIT-7' }
    const { id } = await register(service, own, identity)
    const claim = { ...identity, model_id: own.id, name: 'Étage 1' }
    await claimDevice(context, user, { customer_id: own.lab_customer_id }, '192.0.2.1', claim)
    const customer = { customer_id: own.lab_customer_id }
    const partner = { partner_id: own.partner_id }
    for (const [owner, search] of [
      [customer, 'Étage'],
      [customer, 'éTAGE 1'],
      [customer, 'Ünit'],
      [partner, 'ünit-7'],
    ] as const) {
      const { items } = await listDevices(context, owner, { search })
      assert.deepEqual(
        items.map((device) => device.id),
        [id],
        search,
      )
    }
  })

  it('a cursor of another search does not begin before this one', async () => {
    const own = await newModel(service)
    const partner = { partner_id: own.partner_id }
    for (const sn of ['x1', 'x2', 'y1', 'y2']) await register(service, own, { sn })
    const { next } = await listDevices(context, partner, { search: 'x', limit: 1 })
    const { items } = await listDevices(context, partner, { search: 'y', after: next! })
    assert.deepEqual(
      items.map(({ sn }) => sn),
      ['y1', 'y2'],
    )
  })

  it('an invalid cursor is a 422', async () => {
    for (const query of [{ after: 'x' }, { search: 'a', after: 'x' }, { search: 'a', after: 'W10' }]) {
      assert.equal((await refused(listDevices(context, customer, query))).status, 422)
    }
  })
})
