import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newMac, newModel, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, credentialKinds, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()
const model = await newModel(service, 'Room sensor')
const otherModel = await newModel(service, 'CredentialKind sensor')

describe('organization API: devices', () => {
  let organization: TestOrganization
  let other: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
    other = await createOrganization(service)
  })

  /** Registered by its partner and claimed by the customer. */
  async function claimed(owner = organization, change: object = {}, of = model) {
    const mac = newMac()
    const credentials = await register(service, of, { mac, sn: `SN-${mac}` })
    const claim = { mac, sn: `SN-${mac}`, model_id: of.id, ...change }
    const { status, body } = await owner.call('session', 'POST', '/devices/claim', claim)
    assert.equal(status, 201, JSON.stringify(body))
    return { ...credentials, mac, sn: `SN-${mac}`, device: body }
  }

  it('4.6 a device is claimed, read, renamed, moved, replaced and removed, with every credential', async () => {
    for (const credential of credentialKinds) {
      const space = (await organization.call(credential, 'POST', '/spaces', { name: `Hall ${credential}` })).body
      const mac = newMac()
      const credentials = await register(service, model, { mac, sn: `S1${mac}` })
      const claim = { mac: mac.toUpperCase(), sn: `S1${mac}`, model_id: model.id, name: 'Front', space_id: space.id }
      const { status, body } = await organization.call(credential, 'POST', '/devices/claim', claim)
      assert.equal(status, 201)
      assert.deepEqual(
        [body.id, body.name, body.space_id, body.status],
        [credentials.id, 'Front', space.id, 'never_seen'],
      )

      await send(service, credentials, { status: 'online', telemetries: { temperature: 20.5, credential: 'open' } })
      const path = `/devices/${body.id}`
      const read = (await organization.call(credential, 'GET', path)).body
      assert.equal(read.status, 'online')
      assert.deepEqual(read.state.temperature, { value: 20.5, at: service.clock.now().toISOString() })

      assert.equal((await organization.call(credential, 'PATCH', path, { name: 'Back' })).body.name, 'Back')
      assert.equal((await organization.call(credential, 'PATCH', path, { space_id: null })).body.space_id, null)
      const window = await organization.call(credential, 'POST', `${path}/replace`)
      assert.equal(window.status, 201)
      assert.equal(Date.parse(window.body.replace_until), service.clock.now().getTime() + 3_600_000)
      assert.equal((await organization.call(credential, 'DELETE', path)).status, 204)
      assert.equal((await organization.call(credential, 'GET', path)).status, 404)
      assert.equal((await send(service, credentials, { status: 'online', telemetries: {} })).status, 410)
    }
  })

  it('decision 7.31: a list is claimed with every credential; a wrong line has its own result, a wrong list is a 422', async () => {
    for (const credential of credentialKinds) {
      const mac = newMac()
      const { id } = await register(service, model, { mac, sn: `L-${mac}` })
      const good = { mac, sn: `L-${mac}`, model_id: model.id, name: null, space_id: null }
      const wrong = [
        [{ ...good, mac: '00-1a-2b-3c-4d-5e' }, 'mac'],
        [{ ...good, sn: ' padded' }, 'sn'],
        [{ ...good, name: '' }, 'name'],
        [{ ...good, room: 7 }, 'room'],
        [{ mac, sn: 'x' }, 'model_id'],
        ['text', 'body'],
        [null, 'body'],
      ] as const
      const devices = [...wrong.map(([line]) => line), good]
      const list = (body: object, headers = {}) =>
        organization.call(credential, 'POST', '/devices/claim-list', body, headers)
      const key = { 'idempotency-key': `list ${mac}` }
      const { status, body } = await list({ devices }, key)
      assert.equal(status, 200, JSON.stringify(body))
      for (const [index, [, field]] of wrong.entries()) {
        const { outcome, error, details } = body.results[index]
        assert.deepEqual([outcome, details[0].field], ['invalid', field])
        assert.ok(error.startsWith(`${field} `) && error.length < 500, error)
      }
      assert.deepEqual([body.results.at(-1), body.retry_after_seconds], [{ outcome: 'claimed', device_id: id }, null])
      // The same call gets the same response; another call finds the device claimed.
      assert.deepEqual((await list({ devices }, key)).body, body)
      assert.deepEqual((await list({ devices: [good] })).body.results, [{ outcome: 'already_yours', device_id: id }])

      for (const body of [{}, { devices: [] }, { devices: 'x' }, { devices: [good], more: 1 }, [good]]) {
        assert.equal((await list(body)).status, 422, JSON.stringify(body))
      }
      assert.equal((await list({ devices: Array(1_001).fill(good) })).status, 422)
      assert.equal((await list({ devices: [{ ...good, name: 'x'.repeat(1_100_000) }] })).status, 413)
    }
  })

  it('lists filter by space, model and status, and search by the first characters of name, MAC and serial', async () => {
    const space = (await organization.call('session', 'POST', '/spaces', { name: 'Filtered' })).body
    const here = await claimed(organization, { name: 'Kitchen', space_id: space.id })
    const there = await claimed(organization, { name: 'Cellar' }, otherModel)
    await send(service, here, { status: 'error', telemetries: {} })
    const ids = async (query: string) =>
      (await organization.call('bearer', 'GET', `/devices?limit=100&${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      )
    assert.deepEqual(await ids(`space_id=${space.id}`), [here.id])
    const under = async (parent_id: string) =>
      (await organization.call('session', 'POST', '/spaces', { name: 'Inner', parent_id })).body.id as string
    const room = await under(space.id)
    const corner = await under(room)
    const inside = await claimed(organization, { name: 'Corner', space_id: corner })
    assert.deepEqual(await ids(`space_id=${space.id}`), [here.id, inside.id], 'a space and all below it')
    assert.deepEqual(await ids(`space_id=${room}&search=cor`), [inside.id])
    assert.deepEqual(await ids(`space_id=${corner}`), [inside.id])
    assert.deepEqual(await ids(`model_id=${otherModel.id}`), [there.id])
    assert.deepEqual(await ids('status=error'), [here.id])
    assert.deepEqual(await ids('search=kit'), [here.id])
    assert.deepEqual(await ids(`search=${there.mac.replaceAll(':', '').slice(0, 9)}`), [there.id])
    assert.deepEqual(await ids(`search=${there.sn}`), [there.id])
    assert.deepEqual(await ids('status=offline'), [])
    assert.equal((await organization.call('bearer', 'GET', '/devices?status=asleep')).status, 422)
  })

  it("another customer's device is a 404 on every path", async () => {
    const { id } = await claimed(other)
    const calls = [
      ['GET', `/devices/${id}`],
      ['PATCH', `/devices/${id}`, { name: 'Mine' }],
      ['DELETE', `/devices/${id}`],
      ['POST', `/devices/${id}/replace`],
      ['GET', `/devices/${id}/history`],
      ['GET', `/devices/${id}/history.csv`],
      ['GET', `/devices/${id}/series?keys=a`],
      ['GET', `/devices/stream?device_id=${id}`],
    ] as const
    for (const [method, path, body] of calls) {
      assert.equal((await organization.call('api_key', method, path, body)).status, 404, path)
    }
    const space = (await other.call('session', 'POST', '/spaces', { name: 'Theirs' })).body
    const mine = await claimed()
    assert.equal(
      (await organization.call('session', 'PATCH', `/devices/${mine.id}`, { space_id: space.id })).status,
      404,
    )
  })

  it('claiming: every failure is the same 422', async () => {
    const taken = await claimed(other)
    const mac = newMac()
    await register(service, model, { mac, sn: 'right' })
    const attempts = [
      { mac, sn: 'wrong', model_id: model.id },
      { mac: newMac(), sn: 'right', model_id: model.id },
      { mac, sn: 'right', model_id: otherModel.id },
      { mac, sn: 'right', model_id: 'no model at all' },
      { mac, sn: 'right', model_id: model.id, space_id: '00000000-0000-7000-8000-000000000000' },
      { mac: taken.mac, sn: taken.sn, model_id: model.id },
    ]
    const responses = new Set<string>()
    for (const attempt of attempts) {
      const { status, raw } = await organization.call('session', 'POST', '/devices/claim', attempt)
      assert.equal(status, 422)
      responses.add(raw)
    }
    assert.equal(responses.size, 1)
    assert.match([...responses][0]!, /"code":"claim_failed"/)
  })

  it('decision 8.7 If-Match: a rename of what someone else has changed is a 412; telemetry is no change', async () => {
    const { id, access_key } = await claimed()
    const read = await organization.call('session', 'GET', `/devices/${id}`)
    const match = { 'if-match': String(read.headers.etag) }
    await send(service, { id, access_key }, { status: 'online', telemetries: { a: 1 } })
    assert.equal((await organization.call('session', 'PATCH', `/devices/${id}`, { name: 'One' }, match)).status, 200)
    const late = await organization.call('session', 'PATCH', `/devices/${id}`, { name: 'Two' }, match)
    assert.deepEqual([late.status, late.body.code], [412, 'changed_meanwhile'])
  })

  it('models: what can be claimed, with the partner of each', async () => {
    const { items } = (await organization.call('bearer', 'GET', '/models?limit=100')).body
    const found = items.find(({ id }: { id: string }) => id === model.id)
    assert.deepEqual(found, { id: model.id, name: 'Room sensor', partner_name: 'Acme' })
  })
})

describe('organization API: history', () => {
  it('by range and keys, in pages, as a series, and as CSV', async () => {
    const organization = await createOrganization(service)
    const mac = newMac()
    const credentials = await register(service, model, { mac, sn: mac })
    await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id })
    const began = service.clock.now().toISOString()
    for (let n = 0; n < 5; n += 1) {
      service.clock.forward(60)
      await send(service, credentials, {
        status: 'online',
        telemetries: { level: n, note: n === 2 ? '=1+1' : 'a "b", c' },
      })
    }
    const path = `/devices/${credentials.id}`
    const first = (await organization.call('bearer', 'GET', `${path}/history?limit=3&keys=level`)).body
    assert.deepEqual(
      first.items.map(({ telemetries }: { telemetries: object }) => telemetries),
      [{ level: 0 }, { level: 1 }, { level: 2 }],
    )
    const second = (await organization.call('bearer', 'GET', `${path}/history?limit=3&keys=level&after=${first.next}`))
      .body
    assert.deepEqual([second.items.length, second.next], [2, null])

    const to = service.clock.now().toISOString()
    const query = `keys=level&from=${began}&to=${to}&buckets=2`
    const { series } = (await organization.call('bearer', 'GET', `${path}/series?${query}`)).body
    assert.deepEqual(
      series.level.map(({ min, max, count }: { min: number; max: number; count: number }) => [min, max, count]),
      [
        [0, 1, 2],
        [2, 3, 2],
      ],
    )

    const csv = await organization.call('bearer', 'GET', `${path}/history.csv?from=${began}`)
    assert.match(String(csv.headers['content-type']), /^text\/csv/)
    const lines = csv.raw.trimEnd().split('\r\n')
    assert.equal(lines[0], '\ufefftimestamp,received_at,message_id,status,level,note')
    assert.equal(lines.length, 6)
    assert.match(lines[1]!, /,,online,0,"a ""b"", c"$/)
    assert.match(lines[3]!, /,,online,2,'=1\+1$/)
  })
})
