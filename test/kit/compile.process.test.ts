// What a partner writes compiles under the strictest rules, and what is misspelled does not.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startHarness } from '../support/harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'landbridge-programs-'))
after(() => rm(folder, { recursive: true, force: true }))

const good: Record<string, string> = {
  'lists, things and changes': `
    for await (const user of organization.users.list({ limit: 50 })) console.log(user.email.length, user.groups[0]?.name)
    const device: Device = await organization.devices.get('id', { signal: AbortSignal.timeout(1_000) })
    await organization.devices.update(device.id, { name: 'Lobby' }, { ifMatch: device })
    const page: Page<Space> = await organization.spaces.list().page()
    const csv: string = await organization.devices.historyCsv(device.id, { keys: ['temperature'] })
    console.log(page.next, csv)`,
  'the partner API': `
    const { hardware_key } = await partner.models.create({ name: 'M', authentication_method: 'MAC & Serial Number' })
    await partner.models.hardwareKeys.create('model', { idempotencyKey: 'k' })
    await partner.webhooks.create({ url: 'https://example.com/', events: ['device.claimed', 'grant.revoked'] })
    for await (const { advice, request_id } of partner.integrationLog.list()) console.log(advice, request_id, hardware_key)`,
  'every event, by its type': `
    const subjectOf = (event: WebhookEvent): string => {
      switch (event.type) {
        case 'device.registered': return event.data.firmware_version
        case 'device.updated': return event.data.previous_firmware_version
        case 'device.claimed': case 'device.removed': return event.data.device_id
        case 'device.status_changed': return event.data.previous_status
        case 'grant.revoked': return event.data.reason
        case 'grant.connected': case 'approval.given': case 'approval.withdrawn': return event.data.org_id
        case 'approval.requested': case 'application.disabled': return event.data.client_id
        case 'api_key.expiring': case 'device.command': return event.data.expires_at
        case 'webhook.test': return event.data.message
        default: return event satisfies never
      }
    }
    webhookHandler({ secrets: 's', onEvent: (event) => console.log(event.id, subjectOf(event)) })`,
  'codes of errors, and a message with an id': `
    const adviceOf = (error: LandbridgeError): string => {
      switch (error.code) {
        case 'invalid_grant': case 'not_connected': return 'connect again'
        case 'device_removed': return 'stop'
        case 'too_many_requests': return String(error.retryAfterSeconds)
        default: return error.code.startsWith('mqtt_') ? 'mqtt' : error.message
      }
    }
    const code: ErrorCode = 'mqtt_144'
    await model.send(device, { status: 'online', telemetries: {}, timestamp: new Date().toISOString(), message_id: 'm' })
    await model.send(device, { status: 'online', telemetries: {}, timestamp: undefined, message_id: undefined })
    console.log(adviceOf, code)`,
  'commands with the types of their declaration': `
    const commands = defineCommands([
      { name: 'set_point', parameters: [{ key: 'celsius', type: 'number', required: true }, { key: 'note', type: 'text' }] },
      { name: 'reboot' },
    ])
    const controlled = new ControlledDevice(device, model, { commands })
      .onCommand('set_point', async ({ celsius, note }) => ({ reached: celsius.toFixed(1), note: note?.trim() }))
      .onCommand('reboot', async () => {})
    const fleet = new ControlledFleet(partner, { commands })
    fleet.onCommand('set_point', async ({ celsius }, { deviceId }) => console.log(deviceId.length, celsius.toFixed(1)))
    console.log(controlled)`,
  'claims and who signed in': `
    const { claims } = await application.finish('/callback?code=c', undefined)
    const named: [string | undefined, string | undefined, number | undefined] = [claims?.email, claims?.org_name, claims?.exp]
    const { sub, org_id } = await organization.userinfo()
    console.log(named, sub.length, org_id)`,
}

const filledIn = ['id', 'userId', 'keyId', 'eventId', 'clientId', 'commandId', 'batch_id', 'keys', 'key']

/** Each with the part of it that the compiler points at. */
const bad: Record<string, [program: string, marked: string]> = {
  'a resource': ['organization.usres.list()', 'usres'],
  'a verb': ["organization.devices.fetch('id')", 'fetch'],
  'a resource inside another': ["organization.groups.member.add('g', 'u')", 'member'],
  'a filter': ["organization.devices.list({ spaceid: 'x' })", 'spaceid'],
  'a value of a filter': ["organization.devices.list({ sort: 'nmae' })", 'sort'],
  'a field of a change': ["organization.devices.update('id', { nmae: 'x' })", 'nmae'],
  'a field of a result': ["console.log((await organization.devices.get('id')).serial)", 'serial'],
  'a missing id': ['organization.devices.get()', 'get'],
  'a missing filter': ["organization.devices.series('id', {})", '{}'],
  'what only an administrator may do': ['organization.apiKeys.list()', 'apiKeys'],
  'ifMatch where the API has none': ["organization.spaces.delete('id', { ifMatch: 'e' })", 'ifMatch'],
  'an event to subscribe to': ["partner.webhooks.create({ url: 'u', events: ['device.claimd'] })", "'device.claimd'"],
  'an event to handle': ["if (event.type === 'device.claimd') console.log(event)", 'event.type'],
  'data that an event does not have': [
    "if (event.type === 'grant.revoked') console.log(event.data.device_id)",
    'device_id',
  ],
  'a resource of the other API': ['partner.users.list()', 'users'],
  'a claim': ['console.log((await organization.userinfo()).emial)', 'emial'],
  'a status of telemetry': ["model.send(device, { status: 'on', telemetries: {} })", 'status'],
  'a code of an error': ["const is = (error: LandbridgeError) => error.code === 'invalid_grnat'; is", 'error.code'],
  'a message_id without its timestamp': [
    "model.send(device, { status: 'online', telemetries: {}, message_id: 'm' })",
    '{ status',
  ],
  'a command to handle': ["controlled.onCommand('set_piont', async () => {})", "'set_piont'"],
  'a command for a fleet to handle': ["fleet.onCommand('set_piont', async () => {})", "'set_piont'"],
  'a parameter of a command': ["controlled.onCommand('set_point', async ({ celcius }) => celcius)", 'celcius'],
  'the type of a parameter': ["controlled.onCommand('set_point', async ({ celsius }) => celsius.trim())", 'trim'],
  'a parameter that may be missing': ["fleet.onCommand('set_point', async ({ note }) => note.trim())", 'note.trim'],
  'a value of telemetry': ["model.send(device, { status: 'online', telemetries: { a: [1] } })", 'a'],
}

/** Those of the reference, with what a reader fills in. */
const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<{ paths: object }>()
const samples = [
  ...JSON.stringify(document.paths).matchAll(/"label":"@landbridge\/client","source":("(?:[^"\\]|\\.)*")/g),
]
  .map(([, text]) => JSON.parse(text!) as string)
  .map((source, index) => `async function sample${index}(${filledIn.map((name) => `${name}: string`)}) {\n${source}\n}`)
good['the code samples of the reference'] = samples.join('\n')

/** Those of the README, with what is yours. */
const readme = await readFile(join(root, 'client/README.md'), 'utf8')
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!)
const yours = `declare const [deviceId, jobId, modelId, secret, body, callbackAddress]: [string, string, string, string, string, string]
declare const request: Request
declare const app: { get(path: string, handler: unknown): void; post(path: string, handler: unknown): void }
declare const fastify: typeof app & { addContentTypeParser(...values: [string, object, (request: object, body: string, done: (error: null, body: string) => void) => void]): void }
declare function store(id: string, moved: { hub_url: string } | { mqtt_hub_url: string }): Promise<void>
declare function forget(id: string): Promise<void>
declare function showConnectButton(id: string): Promise<void>
declare function isOpen(): boolean
declare function restart(): Promise<void>
declare function restartDevice(id: string): Promise<void>
`

const parameters = "[{ key: 'celsius', type: 'number', required: true }, { key: 'note', type: 'text' }]"
const controls = [
  `const declared = defineCommands([{ name: 'set_point', parameters: ${parameters} }])`,
  'const controlled = new ControlledDevice(device, model, { commands: declared })',
  'const fleet = new ControlledFleet(partner, { commands: declared })',
].join('; ')
const heading = `import { type Application, ControlledDevice, ControlledFleet, defineCommands, type Device, type DeviceCredentials, type DeviceModel, type ErrorCode, type LandbridgeError, type Organization, type Page, type Partner, type Space, type WebhookEvent, webhookHandler } from ${JSON.stringify(join(root, 'client/src/index.ts'))}
declare const [application, organization, partner, model, device, event]: [Application, Organization, Partner, DeviceModel, DeviceCredentials, WebhookEvent]; ${controls}
`
const ending =
  '\nexport const used = [application, organization, partner, model, device, event, webhookHandler]\nexport type Used = [Device, Page<Space>, ErrorCode, LandbridgeError]\n'
const nameOf = (title: string) => `${title.replaceAll(/\W+/g, '-')}.ts`
const bodies = { ...good, ...Object.fromEntries(Object.entries(bad).map(([title, [program]]) => [title, program])) }
for (const [title, body] of Object.entries(bodies)) {
  await writeFile(join(folder, nameOf(title)), `${heading}{\n${body}\n}${ending}`)
}
const modules = { '': 'index', '/file': 'file', '/mqtt': 'mqtt', '/node': 'node-handlers' }
const paths = Object.fromEntries(
  Object.entries(modules).map(([name, file]) => [`@landbridge/client${name}`, [join(root, `client/src/${file}.ts`)]]),
)
const [start, ...others] = blocks as [string, ...string[]]
const started = start.replace('finish(callback,', 'finish(callbackAddress,')
const imports = others.flatMap((block) => block.match(/^import .*\n/gm) ?? [])
const rest = others.map(
  (block) => `{\n${block.replaceAll(/^import .*\n/gm, '').replace('export const GET', 'const GET')}}\n`,
)
await writeFile(join(folder, 'readme.ts'), `${imports.join('')}${started}${yours};${rest.join('')}export {}\n`)
await writeFile(join(folder, 'package.json'), '{"type": "module"}')
await writeFile(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      typeRoots: [join(root, 'node_modules/@types')],
      paths,
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ['*.ts'],
  }),
)
const output = await new Promise<string>((resolve) => {
  execFile(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], { cwd: folder }, (_, stdout) =>
    resolve(stdout),
  )
})
const errors = [...output.matchAll(/^(\S+?\.ts)\((\d+),(\d+)\): (.*)$/gm)].map(([, file, line, column, message]) => ({
  file: file!.split('/').at(-1)!,
  line: Number(line),
  column: Number(column),
  message,
}))

describe('partner kit: programs', () => {
  it('the reference has samples', () => assert.ok(samples.length > 70, String(samples.length)))

  it('compiles: the README', () => {
    assert.ok(blocks.length >= 5, String(blocks.length))
    assert.deepEqual(
      errors.filter(({ file }) => file === 'readme.ts'),
      [],
    )
  })

  for (const title of Object.keys(good)) {
    it(`compiles: ${title}`, () => {
      assert.deepEqual(
        errors.filter(({ file }) => file === nameOf(title)),
        [],
      )
    })
  }

  for (const [title, [program, marked]] of Object.entries(bad)) {
    it(`does not compile: ${title}`, () => {
      const found = errors.filter(({ file }) => file === nameOf(title))
      assert.equal(found.length, 1, output)
      const [{ line, column }] = found as [(typeof found)[0]]
      assert.deepEqual([line, program.slice(column - 1, column - 1 + marked.length)], [4, marked], found[0]!.message)
    })
  }
})
