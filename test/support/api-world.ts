import { randomBytes } from 'node:crypto'
import { replaceDeclaredCommands } from '../../server/src/devices/commands/declared-commands.ts'
import { claimDevice } from '../../server/src/devices/registry/claim.ts'
import type { DeclaredCommand } from '../../server/src/devices/store/declared-commands-sql.ts'
import { createApiKey } from '../../server/src/directory/api-keys.ts'
import { ofCredential } from '../../server/src/directory/permissions.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { exchange, nextAddress, password, type TestApplication } from './applications.ts'
import { walkToCode } from './consent.ts'
import { register, registration, send } from './devices.ts'
import type { Harness } from './harness.ts'
import { operatorKey } from './keys.ts'
import { sessionHeaders } from './organization.ts'

type Headers = Record<string, string>

/** As in the example of the OpenAPI document. */
const declaredCommands: DeclaredCommand[] = [
  { name: 'reboot' },
  { name: 'set_brightness', parameters: [{ key: 'level', type: 'number', required: true, min: 0, max: 100 }] },
]

/** One partner and one customer with one resource of every kind, and every kind of credential. */
export interface Tenant {
  /** Headers by security scheme of the OpenAPI document. */
  credentials: { organization: Record<string, Headers>; partner: Record<string, Headers> }
  /** What a path's parameter may name, by API and by the segment before it. */
  ids: Record<'organization' | 'partner' | 'operator', Record<string, string>>
  partner_id: string
  customer_id: string
  application: TestApplication
  /** Another application of the partner, which asked for a new look. */
  wanted: { client_id: string }
  device: { id: string; access_key: string }
  /** Of the commands that wait for the device. */
  batch_id: string
  /** Registered, and waiting for a customer. */
  unclaimed: { mac: string; sn: string }
  model: { id: string; hardware_key: string }
  refresh_token: string
  /** Part of every name of the customer's account data: users, groups, spaces, devices, the customer itself. */
  marker: string
}

export const operatorHeaders: Headers = { authorization: operatorKey }

export async function createTenant(service: Harness): Promise<Tenant> {
  const unique = randomBytes(5).toString('hex')
  const marker = `zebra${unique}`
  const create = async (path: string, body: object) => {
    const { status, body: created } = await service.operator('POST', path, body)
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(created)}`)
    return created
  }

  const partnerPerson = { name: 'Pat', email: `pat-${unique}@example.com`, password }
  const partner = await create('/partners', { name: `P ${unique}`, portal_domain: 'acme.test', admin: partnerPerson })
  const registered = await create(`/partners/${partner.id}/applications`, {
    name: 'Dashboard',
    redirect_uris: ['https://app.example.com/callback'],
  })

  const customer = await create('/customers', { partner_id: partner.id, name: `${marker} Ltd` })
  const person = { name: `${marker} Ada`, email: `${marker}-ada@example.com`, password }
  const administrator = await create(`/customers/${customer.id}/users`, { ...person, role: 'administrator' })
  const group = await create(`/customers/${customer.id}/groups`, { name: `${marker} group` })
  const member = await create(`/customers/${customer.id}/users`, {
    name: `${marker} Bob`,
    email: `${marker}-bob@example.com`,
    password,
    role: 'member',
    groups: [`${marker} group`],
  })

  const application: TestApplication = {
    client_id: registered.client_id,
    client_secret: registered.client_secret,
    redirect_uri: 'https://app.example.com/callback',
    partner_id: partner.id,
    customer_id: customer.id,
    user_id: administrator.id,
    email: person.email,
  }
  const walked = await walkToCode(service, application, { customer_id: customer.id })
  const { body: tokens } = await exchange(service, application, { ...walked, grant_id: '' })
  const actor = { kind: 'user', id: administrator.id } as const
  // Commands are given apart, so that every operation can be called with every credential.
  const { integrations: _, ...given } = ofCredential
  const permissions = { ...given, devices: 'command' } as const
  await service.sql`
    update approvals set permissions = ${service.sql.json(permissions)} where customer_id = ${customer.id}`
  const apiKey = await createApiKey(service.context, actor, { customer_id: customer.id }, { name: 'Key', permissions })
  const partnerKey = await createApiKey(
    service.context,
    { kind: 'operator' },
    { partner_id: partner.id },
    { name: 'Key' },
  )
  const credentials: Tenant['credentials'] = {
    organization: {
      bearer: { authorization: `Bearer ${tokens.access_token}` },
      apiKey: { authorization: apiKey.key },
      session: await sessionHeaders(service, person),
    },
    partner: { partnerKey: { authorization: partnerKey.key }, session: await sessionHeaders(service, partnerPerson) },
  }
  const call = async (
    api: 'organization' | 'partner',
    path: string,
    body?: object,
    method: 'POST' | 'PUT' | 'PATCH' = 'POST',
  ) => {
    const url = `/core/v1/${api}${path}`
    const headers = credentials[api].session!
    const response = await service.app.inject({ method, url, headers, ...(body ? { payload: body } : {}) })
    if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
    return response.json()
  }

  // A second person, who can be removed: the last one cannot.
  const colleague = newId()
  await service.sql`
    insert into users (id, email, name, password_hash, created_at)
    values (${colleague}, ${`quinn-${unique}@example.com`}, 'Quinn', '', now())`
  await service.sql`
    insert into partner_members (partner_id, user_id, created_at) values (${partner.id}, ${colleague}, now())`
  const signingKey = await create('/signing-keys', { alg: 'ES256' })
  const mail = newId()
  await service.sql`
    insert into mails (id, kind, recipient, subject, created_at, useful_until, urgent, state, next_attempt_at)
    values (${mail}, 'welcome', 'ada@example.com', 'Welcome', now(), now(), false, 'queued', now())`
  const events = await service.operator('GET', '/audit-events?limit=1')
  const model = await call('partner', '/models', { name: 'Sensor', authentication_method: 'MAC & Serial Number' })
  const data_points = [
    { key: 'temperature', type: 'number', settable: true },
    { key: 'mode', type: 'text', settable: true },
  ]
  await call('partner', `/models/${model.id}/dictionary`, { data_points }, 'PUT')
  const hardwareKey = await call('partner', `/models/${model.id}/hardware-keys`)
  const declaring = { partner_id: partner.id, model_id: model.id }
  await replaceDeclaredCommands(service.context, { kind: 'operator' }, declaring, { commands: declaredCommands })
  const webhook = await call('partner', '/webhooks', { url: 'https://example.com/', events: ['device.claimed'] })
  const delivery = await call('partner', `/webhooks/${webhook.id}/test`)
  const spareKey = await call('partner', '/api-keys', { name: 'spare' })

  const space = await call('organization', '/spaces', { name: `${marker} hall` })
  const parent = await call('organization', '/spaces', { name: `${marker} building` })
  const unclaimed = registration(model) as { mac: string; sn: string }
  await register(service, model, unclaimed)
  const identity = registration(model) as { mac: string; sn: string }
  const device = await register(service, model, identity)
  await claimDevice(service.context, actor, { customer_id: customer.id }, nextAddress(), {
    ...identity,
    model_id: model.id,
    name: `${marker} sensor`,
    space_id: space.id,
  })
  await send(service, device, { status: 'online', telemetries: { temperature: 21.5, mode: 'heat' } })
  // The first is for whoever takes what waits; the second, behind it, stays queued and can be canceled.
  const commands = { device_ids: [device.id], name: 'reboot' }
  const firstCommand = (await call('organization', '/devices/commands', commands)).results[0].id
  const batch = await call('organization', '/devices/commands', commands)
  const view = await call('organization', '/device-views', { name: `${marker} view`, query: { search: marker } })
  await call('organization', `/devices/${device.id}/settings`, { values: { temperature: 21 } }, 'PATCH')
  const template = { model_id: model.id, space_id: parent.id, values: { mode: 'heat' } }
  const settingTemplate = await call('organization', '/setting-templates', template)
  const spareApiKey = await call('organization', '/api-keys', { name: 'spare' })
  const invitation = await call('organization', '/invitations', { email: `${marker}-new@example.com`, role: 'member' })
  const invited = { name: 'Ben', email: partnerPerson.email, password, role: 'member' }
  const operatorInvitation = await create(`/customers/${customer.id}/users`, invited)
  const wanted = await create(`/partners/${partner.id}/applications`, {
    name: 'Wanted',
    redirect_uris: ['https://app.example.com/callback'],
  })
  const approvalRequest = newId()
  await service.sql`
    insert into approval_requests (id, client_id, customer_id, user_id, requested_at)
    values (${approvalRequest}, ${wanted.client_id}, ${customer.id}, ${member.id}, now())`
  const presentationChange = newId()
  await askForNewLook(service, { id: presentationChange, partner_id: partner.id, client_id: wanted.client_id })
  const applicationRequest = newId()
  await askForApplication(service, { id: applicationRequest, partner_id: partner.id })
  await service.sql`
    insert into partner_domains (partner_id, domain, token, check_at, created_at)
    values (${partner.id}, ${`${unique}.com`}, ${unique}, now(), now())`
  // Two hub cells that run for ever, of which the first has all devices: this process has not read of them.
  const [at, until] = [service.clock.now(), new Date(service.clock.now().getTime() + 86_400_000 * 365)]
  for (const cell of ['eu-1', `cell-${unique}`]) {
    await service.sql`
      insert into hub_cells (name, hub_url, hub_url_static_cert, mqtt_hub_url, created_at, seen_at)
      values (${cell}, ${`https://${cell}.test`}, ${`https://${cell}.test:8443`}, ${`mqtts://${cell}.test:8883`}, ${at}, ${until})
      on conflict do nothing`
  }
  await service.sql`
    insert into cell_buckets select bucket, 'eu-1', ${at} from generate_series(0, 1023) as bucket on conflict do nothing`
  const partnerInvitation = await call('partner', '/invitations', { email: `new-${unique}@example.com` })

  return {
    credentials,
    partner_id: partner.id,
    customer_id: customer.id,
    application,
    wanted: { client_id: wanted.client_id },
    device,
    batch_id: batch.batch_id,
    unclaimed: { mac: unclaimed.mac, sn: unclaimed.sn },
    model,
    refresh_token: tokens.refresh_token,
    marker,
    ids: {
      organization: {
        users: member.id,
        groups: group.id,
        members: member.id,
        invitations: invitation.id,
        spaces: space.id,
        parents: parent.id,
        devices: device.id,
        commands: batch.results[0].id,
        'device-views': view.id,
        'setting-templates': settingTemplate.id,
        models: model.id,
        'api-keys': spareApiKey.id,
        'connected-apps': application.client_id,
        'approval-requests': approvalRequest,
      },
      partner: {
        applications: application.client_id,
        models: model.id,
        'hardware-keys': hardwareKey.id,
        devices: device.id,
        commands: firstCommand,
        webhooks: webhook.id,
        deliveries: delivery.event_id,
        members: colleague,
        invitations: partnerInvitation.id,
        'api-keys': spareKey.id,
        'presentation-changes': presentationChange,
        'application-requests': applicationRequest,
      },
      operator: {
        partners: partner.id,
        customers: customer.id,
        applications: application.client_id,
        users: member.id,
        groups: group.id,
        members: colleague,
        invitations: operatorInvitation.id,
        'audit-events': events.body.items[0].id,
        'signing-keys': signingKey.kid,
        'hub-cells': `cell-${unique}`,
        mails: mail,
        'presentation-changes': presentationChange,
        'application-requests': applicationRequest,
      },
    },
  }
}

/** Also once it was decided: it waits again, in its first revision. */
export async function askForNewLook(
  service: Harness,
  { id, partner_id, client_id }: { id: string; partner_id: string; client_id: string },
): Promise<void> {
  await service.sql`delete from presentation_changes where client_id = ${client_id}`
  await service.sql`
    insert into presentation_changes (id, partner_id, client_id, revision, change, requested_by, requested_at)
    values (${id}, ${partner_id}, ${client_id}, 1, '{"name": "Wanted more"}', '{"kind": "api_key"}', now())`
}

/** As above; its name is like no other's. */
export async function askForApplication(
  service: Harness,
  { id, partner_id }: { id: string; partner_id: string },
): Promise<void> {
  await service.sql`delete from client_secrets where client_id = ${id}`
  await service.sql`delete from applications where client_id = ${id}`
  await service.sql`delete from application_requests where id = ${id}`
  await service.sql`
    insert into application_requests
      (id, partner_id, revision, name, redirect_uris, id_token_alg, requested_by, requested_at)
    values (${id}, ${partner_id}, 1, ${`Asked for ${id}`}, '{https://app.example.com/callback}', 'RS256',
      '{"kind": "api_key"}', now())`
}
