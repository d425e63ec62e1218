import { randomBytes } from 'node:crypto'
import { type Answer, answer, type Harness } from '../testing/harness.ts'
import { type CreatedModel, createModel } from './models.ts'
import type { RegisteredDevice } from './registration.ts'

/** What the tests of devices share: a partner's model, devices of it, and messages of theirs. */

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
): Promise<Answer> {
  const type = { 'content-type': 'application/json' }
  return answer(await service.app.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } }))
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
): Promise<Answer> {
  return post(service, `/v1/devices/${id}/telemetry`, message, { authorization: access_key })
}
