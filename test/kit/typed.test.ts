// The generated resources of the kit, on the real service.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Application,
  DeviceModel,
  LandbridgeError,
  memoryTokenStore,
  NotApproved,
  Partner,
} from '../../client/src/index.ts'
import { createApiKey } from '../../server/src/directory/api-keys.ts'
import type { Document } from '../openapi/document.ts'
import { newMac } from '../support/devices.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'

const running = await startKitService({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { service, url, application } = running
const requests: string[] = []
const watching: typeof fetch = (input, init) => {
  requests.push(`${init!.method} ${String(input).slice(url.length)}`)
  return fetch(input, init)
}
const kit = new Application({
  url,
  clientId: application.client_id,
  clientSecret: application.client_secret,
  redirectUri: application.redirect_uri,
  store: memoryTokenStore(),
  fetch: watching,
})
const { url: address, pending } = await kit.begin()
const { organization, claims } = await kit.finish(await submitConsent(running, address), pending)
const { key: apiKey } = await createApiKey(
  service.context,
  { kind: 'operator' },
  { partner_id: application.partner_id },
  { name: 'Kit' },
)
const partner = new Partner({ url: `${url}/`, apiKey })

async function newDevice() {
  const { id: modelId, hardware_key: hardwareKey } = await partner.models.create({
    name: 'Thermostat',
    authentication_method: 'MAC & Serial Number',
  })
  const model = new DeviceModel({ entryUrl: url, modelId, hardwareKey })
  const identity = { mac: newMac(), sn: newMac(), firmware_version: '1.0.0' }
  return { model, modelId, identity, device: await model.register(identity) }
}

describe('partner kit: the organization API by its resources', () => {
  it('a list goes from page to page and ends; one page and the first few cost no more than they need', async () => {
    for (const name of ['A', 'B', 'C', 'D', 'E']) await organization.spaces.create({ name })
    requests.length = 0
    const names = async () => {
      const found: string[] = []
      for await (const { name } of organization.spaces.list({ limit: 2 })) found.push(name)
      return found
    }
    assert.deepEqual(await names(), ['A', 'B', 'C', 'D', 'E'])
    assert.equal(requests.length, 3)
    const list = organization.spaces.list({ limit: 2 })
    const page = await list.page()
    assert.deepEqual([page.items.length, typeof page.next], [2, 'string'])
    assert.equal((await list.page(page.next!)).items[0]!.name, 'C')
    requests.length = 0
    assert.deepEqual(
      (await list.first(3)).map(({ name }) => name),
      ['A', 'B', 'C'],
    )
    assert.deepEqual([await list.first(0), requests.length], [[], 2])
    assert.equal((await organization.spaces.list().first(100)).length, 5)
  })

  it('a change is based on what was read: who comes second is told', async () => {
    const { id } = await organization.groups.create({ name: 'Facilities' })
    const group = await organization.groups.get(id)
    const renamed = await organization.groups.update(group.id, { name: 'Buildings' }, { ifMatch: group })
    await assert.rejects(organization.groups.update(group.id, { name: 'Late' }, { ifMatch: group }), {
      code: 'changed_meanwhile',
      status: 412,
    })
    await organization.groups.update(group.id, { name: 'Premises' }, { ifMatch: renamed })
    const [listed] = await organization.groups.list().first(1)
    await assert.rejects(organization.groups.update(group.id, { name: 'x' }, { ifMatch: listed! }), { code: 'no_etag' })
    const { id: userId } = (await organization.users.list().first(1))[0]!
    await organization.groups.members.list(group.id).first(1)
    await organization.groups.delete(group.id)
    await assert.rejects(organization.groups.get(group.id), { code: 'not_found', status: 404 })
    assert.equal((await organization.users.get(userId)).id, userId)
    assert.equal((await organization.info.get()).id, application.customer_id)
  })

  it('a repeat with the same key creates nothing twice', async () => {
    const options = { idempotencyKey: crypto.randomUUID() }
    const [first, second] = [
      await organization.spaces.create({ name: 'Once' }, options),
      await organization.spaces.create({ name: 'Once' }, options),
    ]
    assert.equal(first.id, second.id)
  })

  it('devices: claimed, read, moved, charted, exported', async () => {
    const { model, modelId, identity, device } = await newDevice()
    await organization.devices.claim({ model_id: modelId, mac: identity.mac, sn: identity.sn })
    await model.send(device, { status: 'online', telemetries: { temperature: 21.5, mode: 'auto' } })
    const found = await organization.devices.get(device.id)
    assert.deepEqual([found.status, found.state.temperature!.value], ['online', 21.5])
    const space = await organization.spaces.findOrCreate({ path: ['Berlin', 'Room 1'] })
    const moved = await organization.devices.update(device.id, { space_id: space.id }, { ifMatch: found })
    assert.equal(moved.space_id, space.id)
    const [message] = await organization.devices.history(device.id, { keys: ['temperature'] }).first(1)
    assert.deepEqual(message!.telemetries, { temperature: 21.5 })
    const series = await organization.devices.series(device.id, { keys: ['temperature'], buckets: 10 })
    assert.ok(JSON.stringify(series).includes('21.5'))
    assert.match(await organization.devices.historyCsv(device.id), /temperature/)
    assert.equal((await organization.devices.count()).online, 1)
    assert.deepEqual((await organization.devices.list({ space_id: space.id }).first(5))[0]!.id, device.id)
  })

  it('devices as they change, through a stream that breaks; it ends with its caller', async () => {
    const { model, modelId, identity, device } = await newDevice()
    await organization.devices.claim({ model_id: modelId, mac: identity.mac, sn: identity.sn })
    let breaks: (() => void) | undefined
    const opened: (string | undefined)[] = []
    const breakable = new Application({
      ...kit.options,
      backoff: { attempts: 3, firstDelayMs: 1, longestDelayMs: 5 },
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!String(input).includes('/devices/stream')) return response
        opened.push((init!.headers as Record<string, string>)['last-event-id'])
        const cut = new AbortController()
        breaks = () => cut.abort(new Error('connection lost'))
        return new Response(response.body!.pipeThrough(new TransformStream(), { signal: cut.signal }), response)
      },
    })
    const stopping = new AbortController()
    const stream = breakable
      .organization(organization.id)
      .devices.stream({ device_id: device.id }, { signal: stopping.signal })
    const nextTemperature = async (wanted: number) => {
      for (;;) {
        const { value: event } = await stream.next()
        if (event?.type === 'state' && event.state.temperature?.value === wanted) return
      }
    }
    for (const temperature of [21, 22]) {
      const seen = nextTemperature(temperature)
      await model.send(device, { status: 'online', telemetries: { temperature } })
      await seen
      breaks!()
    }
    assert.equal(opened[0], undefined)
    assert.match(opened[1]!, /^\d+$/)
    const reason = new Error('no longer wanted')
    // Past what it has received already.
    const ended = assert.rejects(async () => {
      while (!(await stream.next()).done);
    }, reason)
    stopping.abort(reason)
    await ended
    await assert.rejects(organization.devices.stream({ device_id: crypto.randomUUID() }).next(), { code: 'not_found' })
  })

  it('what the customer approved, and NotApproved with what is missing, from the next request on', async () => {
    const [before] = (await organization.permissions()).reach
    assert.deepEqual([before!.permissions.devices, before!.within], ['manage', null])
    const space = await organization.spaces.create({ name: 'Approved' })
    const approval = service.sql`client_id = ${application.client_id} and customer_id = ${organization.id}`
    const permissions = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    await service.sql`
      update approvals set permissions = ${service.sql.json(permissions)}, within = ${[space.id]} where ${approval}`
    const narrowed = await organization.permissions()
    const within = [{ id: space.id, name: 'Approved' }]
    assert.deepEqual(narrowed.reach, [{ permissions: { ...permissions, integrations: 'none' }, within }])
    const error: unknown = await organization.spaces.create({ name: 'X' }).catch((error: unknown) => error)
    assert.ok(error instanceof NotApproved && error instanceof LandbridgeError)
    const { name, code, status, missing, requestId } = error
    assert.deepEqual([name, code, status, missing], ['NotApproved', 'not_approved', 403, 'spaces: manage'])
    assert.match(requestId!, /./)
    await service.sql`update approvals set permissions = null, within = null where ${approval}`
    await organization.spaces.delete(space.id)
  })

  it('an id is never part of another path', async () => {
    requests.length = 0
    for (const id of ['', '.', '..', undefined as never]) {
      await assert.rejects(organization.devices.delete(id), { code: 'invalid_id' }, JSON.stringify(id))
    }
    assert.deepEqual(requests, [])
    for (const id of ['../users', 'a/b?c#d', '%2e%2e', 'ä\n']) {
      await assert.rejects(organization.devices.get(id), LandbridgeError)
      assert.equal(requests.at(-1), `GET /core/v1/organization/devices/${encodeURIComponent(id)}`)
    }
  })

  it('who signed in, by the claims of the contract', async () => {
    const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
    const { IdTokenClaims } = document.components.schemas
    // With a password alone there is no acr.
    const documented = Object.keys(IdTokenClaims!.properties!).filter((claim) => claim !== 'acr')
    assert.deepEqual(Object.keys(claims!).toSorted(), documented.toSorted())
    const { sub, email, org_id, org_name } = await organization.userinfo()
    assert.deepEqual(
      [email, org_id, typeof sub, typeof org_name],
      [application.email, organization.id, 'string', 'string'],
    )
  })
})

describe('partner kit: the partner API by its resources', () => {
  it('models, hardware keys and the fleet', async () => {
    const { modelId, device } = await newDevice()
    const read = await partner.models.get(modelId)
    const renamed = await partner.models.update(modelId, { name: 'Thermostat 2' }, { ifMatch: read })
    assert.equal(renamed.name, 'Thermostat 2')
    await assert.rejects(partner.models.update(modelId, { name: 'x' }, { ifMatch: read }), { status: 412 })
    const key = await partner.models.hardwareKeys.create(modelId)
    const keys = await partner.models.hardwareKeys.list(modelId).first(10)
    assert.equal(keys.length, 2)
    await partner.models.hardwareKeys.delete(modelId, key.id)
    const fleet = await partner.devices.list({ model_id: modelId }).first(10)
    assert.deepEqual(
      fleet.map(({ id }) => id),
      [device.id],
    )
    await partner.devices.replace(device.id)
    await partner.devices.delete(device.id)
  })

  it('webhooks and their deliveries, the integration log, and a key that is wrong', async () => {
    const webhook = await partner.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['device.claimed'] })
    assert.match(webhook.secret, /^whsec_/)
    const read = await partner.webhooks.get(webhook.id)
    await partner.webhooks.update(webhook.id, { enabled: false }, { ifMatch: read })
    assert.match((await partner.webhooks.rotateSecret(webhook.id)).secret, /^whsec_/)
    assert.deepEqual(await partner.webhooks.deliveries.list(webhook.id).first(1), [])
    await partner.webhooks.delete(webhook.id)
    await partner.integrationLog.list({ error: 'invalid_grant' }).first(1)
    assert.equal((await partner.info.get()).id, application.partner_id)
    const wrong = new Partner({ url, apiKey: 'lbk_wrong' })
    await assert.rejects(wrong.models.list().first(1), { status: 401 })
  })
})
