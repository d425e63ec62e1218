import { meaningOf } from './glossary.ts'
import type { Schema } from './schema.ts'

const instant = '2026-03-01T12:00:00.000Z'
const uuid = '0195520c-6f00-7c3a-9d1e-3f5b8a7c2d10'
/** The same as in a registration: the examples lead from there to the claim. */
const modelId = '01955210-0a00-7d41-8f0e-6c1b2a3d4e5f'

/** In the bucket of the device, as all its commands. */
const commandId = '01955300-1c00-7a21-8b44-5d6e7f809d10'

const declaredCommands = [
  { name: 'reboot', label: 'Restart', description: 'It is away for about a minute.', confirm: true },
  {
    name: 'set_brightness',
    label: 'Brightness',
    parameters: [{ key: 'level', type: 'number', label: 'Level', required: true, min: 0, max: 100 }],
    expires_after: 600,
    timeout: 60,
  },
]

const deviceCommand = {
  id: commandId,
  device_id: uuid,
  name: 'set_brightness',
  parameters: { level: 80 },
  state: 'sent',
  created_at: instant,
  expires_at: '2026-03-01T13:00:00.000Z',
  attempt: 1,
}

/** Examples that cannot be put together from those of their fields. */
const whole: Record<string, unknown> = {
  NewApiKey: {
    name: 'Nightly export',
    used_by: 'Export server',
    expires_at: null,
    permissions: { devices: 'read', spaces: 'read', people: 'none', audit: 'none' },
    within: null,
  },
  ApiKeyChange: { permissions: { devices: 'read', spaces: 'read', people: 'none', audit: 'none' }, within: null },
  NewPartnerApiKey: { name: 'Fleet sync', used_by: 'Cloud of the fleet', expires_at: null },
  PartnerApiKeyChange: { used_by: 'Cloud of the fleet', expires_at: null },
  DeviceCommand: deviceCommand,
  FleetCommands: { commands: [deviceCommand], after: 'AZVTABwAeiGLRF1uf4CdEA' },
  DeviceCommandReport: { id: commandId, status: 'done', message: 'At 80 percent.', result: { level: 80 } },
  FleetCommandReport: { status: 'done', message: 'At 80 percent.', result: { level: 80 } },
  TelemetryAccepted: { success: true },
  CommandReportAccepted: { success: true },
  ConnectedAppChange: { policy: { kind: 'administrators' } },
  Logo: { type: 'image/png', data: 'iVBORw0KGgo=' },
  PartnerBranding: { name: 'Acme Displays', accent_color: '#0b6bcb' },
  Health: { status: 'alive', version: '1.4.2' },
  Readiness: { status: 'ready' },
  SpacePath: { path: ['Main building', 'Floor 4', 'Meeting room 4'] },
  SpaceChange: { name: 'Meeting room 5' },
  UserChange: { active: false },
  WebhookChange: { description: 'Production', events: ['device.claimed'] },
  NewWebhook: { url: 'https://cloud.example.com/landbridge', events: ['device.claimed', 'grant.revoked'] },
  NewGroup: { name: 'Facility team' },
  NewSpace: { name: 'Meeting room 4', parent_id: null },
  NewInvitation: { email: 'grace@example.com', name: 'Grace', role: 'member', groups: [] },
  NewUser: { name: 'Grace', email: 'grace@example.com', password: 'correct horse battery', role: 'member' },
  NewPartnerDomain: { domain: 'acme-displays.com' },
  NewPartner: {
    name: 'Acme Displays',
    portal_domain: 'portal.acme.example',
    admin: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse battery' },
  },
  PartnerChange: { name: 'Acme Displays', portal_domain: null },
  SecretRotationRequest: { reason: 'routine', note: 'Every year in March.' },
  SignInPolicy: { kind: 'everyone', group_id: null, group_name: null },
  AuthorizationRequest: {
    client_id: uuid,
    redirect_uri: 'https://app.example.com/callback',
    response_type: 'code',
    scope: 'openid profile email',
    state: 'af0ifjsldkj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
  TokenRequest: {
    grant_type: 'authorization_code',
    code: 'lbc_Kd2m…',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    redirect_uri: 'https://app.example.com/callback',
    client_id: uuid,
    client_secret: 'lbs_T4wr…',
  },
  DeviceClaim: { mac: '02:1a:2b:3c:4d:5e', sn: 'SN-20-0417', model_id: modelId, name: 'Door display', space_id: null },
  DeviceChange: { name: 'Door display', space_id: null },
  DataDictionary: {
    data_points: [
      {
        key: 'temperature',
        type: 'number',
        label: 'Temperature',
        unit: '°C',
        decimals: 1,
        min: 5,
        max: 35,
        chart: true,
      },
      { key: 'mode', type: 'text', label: 'Mode', values: [{ value: 'heat', label: 'Heating' }] },
      {
        key: 'occupied',
        type: 'boolean',
        label: 'Occupancy',
        values: [
          { value: true, label: 'Occupied' },
          { value: false, label: 'Free' },
        ],
      },
    ],
  },
  DeviceConfig: { version: 7, config: { temperature: 21.5, mode: 'heat' }, last_updated: instant },
  ConfigReport: {
    version: 1,
    result: 'rejected',
    details: [{ key: 'mode', message: 'This unit cannot heat.' }],
  },
  ConfigChange: { base_version: 1, values: { temperature: 22 } },
  SettingsChange: { values: { temperature: 21.5, mode: 'heat' } },
  ManySettingsChange: { device_ids: [uuid], values: { temperature: 21.5 } },
  SettingsResult: { device_id: uuid, status: 200, version: 7 },
  NewSettingTemplate: { model_id: modelId, space_id: uuid, values: { temperature: 21.5 } },
  SettingTemplateChange: { values: { temperature: 21, mode: 'heat' } },
  DeviceSetting: {
    key: 'temperature',
    desired: 21.5,
    reported: 20,
    reported_at: instant,
    state: 'pending',
    message: null,
    template: { id: uuid, value: 21.5 },
    differs: false,
  },
  DeclaredCommands: { commands: declaredCommands },
  CommandsOfDevice: {
    commands: declaredCommands,
    settable: [{ key: 'temperature', type: 'number', label: 'Temperature', unit: '°C', settable: true }],
  },
  NewCommand: { name: 'set_brightness', parameters: { level: 70 } },
  NewCommands: { device_ids: [uuid], name: 'set_brightness', parameters: { level: 70 }, expires_after: 900 },
  CommandBatch: { batch_id: uuid, results: [{ device_id: uuid, status: 202, id: commandId }] },
  Command: {
    id: commandId,
    device_id: uuid,
    device_name: 'Door display',
    name: 'set_brightness',
    label: 'Brightness',
    parameters: { level: 70 },
    secret: [],
    state: 'done',
    source: 'portal',
    created_by: { kind: 'user', id: '0195520c-6f00-7c3a-9d1e-3f5b8a7c2d11', name: 'Ada' },
    batch_id: null,
    created_at: instant,
    expires_at: '2026-03-01T12:10:00.000Z',
    attempts: 1,
    sent_at: '2026-03-01T12:00:00.120Z',
    delivered_at: '2026-03-01T12:00:00.180Z',
    started_at: null,
    finished_at: '2026-03-01T12:00:00.950Z',
    message: null,
    result: { level: 70 },
  },
  Telemetry: {
    status: 'online',
    telemetries: { temperature: 21.5, mode: 'heat', occupied: true },
    timestamp: '2026-03-01T11:59:30.000Z',
    message_id: 'm-1042',
    firmware_version: '1.4.2',
  },
  DeviceTelemetry: {
    id: uuid,
    access_key: 'lbd_8Jq2…',
    status: 'online',
    telemetries: { temperature: 21.5 },
    timestamp: '2026-03-01T11:59:30.000Z',
    message_id: 'm-1042',
  },
  MassTelemetryResult: { id: uuid, status: 200 },
  Series: {
    from: '2026-02-28T12:00:00.000Z',
    to: instant,
    bucket_seconds: 288,
    series: { temperature: [{ at: instant, min: 20.9, max: 21.8, avg: 21.4, count: 9 }] },
  },
  Timelines: {
    from: '2026-02-28T12:00:00.000Z',
    to: instant,
    timelines: { mode: [{ from: '2026-02-28T12:00:10.000Z', to: instant, value: 'heat', changes: 1 }] },
  },
  Uptime: {
    from: '2026-02-28T12:00:00.000Z',
    to: instant,
    uptime: 0.998,
    seconds: { never_seen: 0, online: 86_227.2, offline: 172.8, error: 0 },
  },
  ServerMetadata: {
    issuer: 'https://landbridge.example.com',
    authorization_endpoint: 'https://landbridge.example.com/oauth/authorize',
    token_endpoint: 'https://landbridge.example.com/oauth/token',
    userinfo_endpoint: 'https://landbridge.example.com/oauth/userinfo',
    revocation_endpoint: 'https://landbridge.example.com/oauth/revoke',
    jwks_uri: 'https://landbridge.example.com/oauth/.well-known/jwks.json',
  },
}

/** An example that the schema admits, from the examples of its fields. */
export function exampleOf(schema: Schema, name = '', parent = ''): unknown {
  if (schema.title !== undefined && schema.title in whole) return whole[schema.title]
  if (schema.const !== undefined) return schema.const
  const known = meaningOf(name, parent)?.example
  if (known !== undefined && admits(schema, known)) return known
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const variant = (schema.anyOf ?? schema.oneOf)?.[0]
  if (variant) return exampleOf(variant, name, parent)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectExample(schema)
    case 'array':
      return schema.items ? [exampleOf(schema.items, name.replace(/s$/, ''))] : []
    case 'string':
      return textExample(schema)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return null
  }
}

function objectExample({ title, properties = {}, additionalProperties }: Schema): object {
  const fields = Object.entries(properties).map(([name, field]) => [name, exampleOf(field, name, title)])
  if (fields.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(fields)
  return { temperature: exampleOf(additionalProperties) }
}

function textExample({ format, minLength = 0 }: Schema): string {
  if (format === 'uuid') return uuid
  if (format === 'date-time') return instant
  if (format === 'email') return 'ada@example.com'
  return 'text'.padEnd(minLength, '.')
}

/** Whether the example of the glossary is of a kind that this field takes. */
function admits(schema: Schema, value: unknown): boolean {
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return variants.some((variant) => admits(variant, value))
  if (schema.enum) return schema.enum.includes(value)
  if (Array.isArray(value) && schema.items) {
    const { items } = schema
    return schema.type === 'array' && value.every((item) => admits(items, item))
  }
  if (schema.format === 'uuid' || schema.format === 'date-time')
    return value === null && [schema.type].flat().includes('null')
  return schema.type === undefined || [schema.type].flat().some((type) => isOfType(type, value))
}

function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
