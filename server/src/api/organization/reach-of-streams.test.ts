import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newModel, online, register, registration, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/until.ts'

const service = await startHarness()
const { sql } = service
let organization: TestOrganization
let inside: string
let below: string
let outside: string
type TestDevice = { id: string; access_key: string }
let here: TestDevice
let there: TestDevice

async function addDevice(model: Awaited<ReturnType<typeof newModel>>, space_id: string): Promise<TestDevice> {
  const identity = registration(model) as { mac: string; sn: string }
  const device = await register(service, model, identity)
  const { mac, sn } = identity
  await organization.call('session', 'POST', '/devices/claim', { mac, sn, model_id: model.id, space_id })
  return device
}

before(async () => {
  organization = await createOrganization(service)
  const model = await newModel(service)
  const add = async (name: string, parent_id: string | null = null) =>
    (await organization.call('session', 'POST', '/spaces', { name, parent_id })).body.id
  inside = await add('Inside')
  below = await add('Below', inside)
  outside = await add('Outside')
  here = await addDevice(model, below)
  there = await addDevice(model, outside)
})

/** A stream of the API key, which reaches these spaces; its events as `kind device`. */
async function open(within: string[] | null, from?: string) {
  await sql`update api_keys set within = ${within}::uuid[] where customer_id = ${organization.customer_id}`
  const url = '/core/v1/organization/devices/stream'
  const headers = { ...organization.headers.api_key, ...(from ? { 'last-event-id': from } : {}) }
  const response = await service.app.inject({ url, headers, payloadAsStream: true })
  assert.equal(response.statusCode, 200)
  const stream = response.stream()
  const seen = { text: '', ended: false }
  stream.on('data', (part) => {
    seen.text += part
  })
  stream.on('end', () => {
    seen.ended = true
  })
  await until(() => seen.text.includes('event: ready'))
  const name = (id: string) => (id === here.id ? 'here' : 'there')
  return {
    ended: () => seen.ended,
    events: () =>
      [...seen.text.matchAll(/event: (state|status|removed)\ndata: (.*)\n/g)].map(
        ([, kind, data]) => `${kind} ${name(JSON.parse(data!).device_id)}`,
      ),
    lastId: () => [...seen.text.matchAll(/^id: (\d+)$/gm)].at(-1)![1]!,
    close: () => void stream.destroy(),
  }
}

const move = (device: TestDevice, space_id: string) =>
  organization.call('session', 'PATCH', `/devices/${device.id}`, { space_id })

describe('decision 6.48: a live stream of whoever reaches some spaces', () => {
  it('has the devices there and below, not those outside', async () => {
    const stream = await open([inside])
    const whole = await open(null)
    stream.close()
    const narrow = await open([inside])
    await send(service, there, online({ a: 1 }))
    await send(service, here, online({ a: 1 }))
    await until(() => narrow.events().includes('state here'))
    assert.deepEqual(
      narrow.events().filter((event) => event.endsWith('there')),
      [],
    )
    narrow.close()
    whole.close()
  })

  it('a device that leaves them is removed at once, one that comes appears; others learn nothing of a move', async () => {
    const stream = await open([inside])
    await move(here, outside)
    await until(() => stream.events().includes('removed here'))
    await send(service, here, online({ a: 2 }))
    await move(here, inside)
    await until(() => stream.events().at(-1) === 'state here')
    const list = { devices: [{ id: here.id, space_id: outside }] }
    await organization.call('session', 'POST', '/devices/change-list', list)
    await until(() => stream.events().at(-1) === 'removed here')
    await move(here, below)
    stream.close()
  })

  it('what left while the stream was away is removed when it resumes', async () => {
    const first = await open([inside])
    const id = first.lastId()
    first.close()
    await move(here, outside)
    const again = await open([inside], id)
    await until(() => again.events().includes('removed here'))
    again.close()
    await move(here, below)
  })

  it('ends when a space is moved out of them, and when they are changed', async () => {
    const stream = await open([inside])
    await organization.call('session', 'PATCH', `/spaces/${below}`, { parent_id: outside })
    await until(stream.ended)
    await organization.call('session', 'PATCH', `/spaces/${below}`, { parent_id: inside })
    const other = await open([inside])
    await sql`update api_keys set within = ${[outside]}::uuid[] where customer_id = ${organization.customer_id}`
    await until(other.ended)
  })

  it('an export under way ends with the reach that it began with', async () => {
    const { customer_id } = organization
    await sql`update api_keys set within = null where customer_id = ${customer_id}`
    await sql`
      insert into audit_events (id, type, at, actor, customer_id, details)
      select gen_random_uuid(), 'customer.renamed', now(), '{"kind": "system"}', ${customer_id},
        jsonb_build_object('name', repeat('x', 2000))
      from generate_series(1, 5000)`
    const address = await service.app.listen({ port: 0, host: '127.0.0.1' })
    const url = `${address}/core/v1/organization/audit-events.jsonl`
    const response = await fetch(url, { headers: organization.headers.api_key })
    assert.equal(response.status, 200)
    const reader = response.body!.getReader()
    await reader.read()
    await sql`update api_keys set within = ${[inside]}::uuid[] where customer_id = ${customer_id}`
    const readOn = async () => {
      while (!(await reader.read()).done);
    }
    await assert.rejects(readOn(), /terminated/)
  })
})
