import { randomBytes } from 'node:crypto'
import { claimDevice } from '../../server/src/devices/registry/claim.ts'
import { type CreatedModel, createModel } from '../../server/src/devices/registry/models.ts'
import type { RegisteredDevice } from '../../server/src/devices/registry/registration.ts'
import type { Refusal } from '../../server/src/platform/refusal.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { type Harness, startHarness, type TestResponse, toTestResponse } from './harness.ts'

/** For tests of devices: a partner's model, its devices, and their messages. */

export async function newModel(service: Harness, name = 'Sensor'): Promise<CreatedModel & { lab_customer_id: string }> {
  const { body } = await service.operator('POST', '/partners', {
    name: 'Acme',
    portal_domain: null,
    admin: { name: 'Ada', email: `${randomBytes(4).toString('hex')}@example.com`, password: 'correct horse battery' },
  })
  const input = { name, authentication_method: 'MAC & Serial Number' } as const
  const model = await createModel(service.context, { kind: 'operator' }, body.id, input)
  return { ...model, lab_customer_id: body.lab.customer_id }
}

export function newMac(): string {
  return randomBytes(6).toString('hex').match(/../g)!.join(':')
}

export async function post(
  service: Harness,
  url: string,
  payload: object | string,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const type = { 'content-type': 'application/json' }
  return toTestResponse(await service.app.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } }))
}

export function registration(model: { id: string; hardware_key: string }, change: object = {}): object {
  const mac = newMac()
  const body = { device_model: model.id, hardware_key: model.hardware_key, mac, sn: `SN-${mac}` }
  return { ...body, firmware_version: '1.4.2', ...change }
}

export async function register(
  service: Harness,
  model: { id: string; hardware_key: string },
  change: object = {},
): Promise<RegisteredDevice> {
  const { status, body } = await post(service, '/v1/devices', registration(model, change))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

export async function send(
  service: Harness,
  { id, access_key }: { id: string; access_key: string },
  message: object | string,
): Promise<TestResponse> {
  return post(service, `/v1/devices/${id}/telemetry`, message, { authorization: access_key })
}

export const online = (telemetries: object, more: object = {}) => ({ status: 'online', telemetries, ...more })

/** A service with one model, its partner, and a customer with a person in it. */
export async function startScene() {
  const service = await startHarness()
  const { context, sql } = service
  const model = await newModel(service)
  const partner = { partner_id: model.partner_id }
  const customerId = model.lab_customer_id
  const user = { kind: 'user', id: newId() } as const

  const newSpace = async (customer_id: string): Promise<string> => {
    const id = newId()
    await sql`insert into spaces (id, customer_id, name, created_at) values (${id}, ${customer_id}, ${id}, now())`
    return id
  }
  const registered = async () => {
    const identity = { mac: newMac(), sn: `SN-${newId()}` }
    return { ...identity, ...(await register(service, model, identity)) }
  }
  const claimed = async (change: object = {}) => {
    const device = await registered()
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', {
      ...device,
      model_id: model.id,
      ...change,
    })
    return device
  }
  const customer = { customer_id: customerId }
  return { ...service, service, model, partner, customer, customerId, user, newSpace, registered, claimed }
}

export async function refused(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work
  } catch (error) {
    return error as Refusal
  }
  throw new Error('not refused')
}
