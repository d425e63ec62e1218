// The snippets of docs/integrate.md, run as they are: only addresses and credentials are put in.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fleetCommandTopic } from '../../server/src/devices/live/topics.ts'
import { createApiKey } from '../../server/src/directory/api-keys.ts'
import { eventTypes } from '../../server/src/events/outbox.ts'
import { signatureHeaders } from '../../server/src/events/webhooks/signature.ts'
import { giveCommand } from '../support/announce-command.ts'
import { newModel } from '../support/devices.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

const page = await readFile(new URL('../../docs/integrate.md', import.meta.url), 'utf8')
const running = await startKitService()
const { url, application, service } = running
const model = await newModel(service)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-snippets-'))
after(() => rm(folder, { recursive: true, force: true }))
let written = 0

function snippet(name: string): string {
  const text = new RegExp(`\`\`\`ts ${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]
  assert.ok(text, `no snippet ${name}`)
  return text
}

/** Runs a snippet as a separate module and returns what it declared. */
async function run(text: string, given: Record<string, unknown>, declared: string[]): Promise<Record<string, unknown>> {
  const kit = new URL('../../client/src/index.ts', import.meta.url).href
  const code = text
    .replaceAll('@landbridge/client', kit)
    .replaceAll('https://landbridge.example.com', url)
    .replace("clientId: '…'", `clientId: '${application.client_id}'`)
    .replace("clientSecret: '…'", `clientSecret: '${application.client_secret}'`)
    .replace("modelId: '…'", `modelId: '${model.id}'`)
    .replace("hardwareKey: 'lbh_…'", `hardwareKey: '${model.hardware_key}'`)
  const before = `const { ${Object.keys(given).join(', ')} } = globalThis.given\n`
  const imports = code.match(/^import .*\n/gm)?.join('') ?? ''
  const rest = code.replace(/^import .*\n/gm, '')
  written += 1
  const file = join(folder, `snippet-${written}.ts`)
  await writeFile(file, `${imports}${before}${rest}\nexport { ${declared.join(', ')} }\n`)
  Object.assign(globalThis, { given })
  return await import(file)
}

describe('docs/integrate.md', () => {
  it('1. connects an organization', async () => {
    const [before, afterwards] = snippet('connect').split('// 2.')
    const begun = await run(before!, {}, ['application', 'url', 'pending'])
    const callback = await submitConsent(running, String(begun.url))
    const given = { application: begun.application, pending: begun.pending, callback }
    const { info, org_id } = await run(`// 2.${afterwards}`, given, ['info', 'org_id'])
    assert.equal((info as { id: string }).id, application.customer_id)
    assert.equal(org_id, application.customer_id)
  })

  it('2. registers a device and sends, one message and many', async () => {
    const created = await run(snippet('devices'), {}, ['model', 'device'])
    const { id } = created.device as { id: string }
    const outbox = snippet('outbox')
    await run(outbox, { model: created.model, device: created.device }, ['outbox'])
    await run(snippet('firmware'), { model: created.model, device: created.device }, [])
    const [row] = await service.sql`
      select count(*)::int as count, min(firmware_version) as firmware_version
      from history join devices on number = device_number where id = ${id}`
    assert.deepEqual([row!.count, row!.firmware_version], [3, '1.5.0'])
  })

  it('2. executes commands, as a device and as a cloud', async () => {
    const registering = snippet('devices').replace('SN-0001', 'SN-0009').replace('3c:4d:5e', '3c:4d:09')
    const { model: kit, device } = await run(registering, {}, ['model', 'device'])
    const { id: device_id } = device as { id: string }
    const owner = { partner_id: model.partner_id, customer_id: model.lab_customer_id }
    const tell = async () => {
      const parameters = { celsius: 21 }
      const id = await giveCommand(service.context, { ...owner, device_id, name: 'set_point', parameters })
      await service.context.notifications.publish(service.sql, fleetCommandTopic, [model.partner_id])
      const find = async () => (await service.sql`select state, result from device_commands where id = ${id}`)[0]!
      await until(async () => (await find()).state === 'done', 'done', 60)
      return (await find()).result
    }
    const { controlled } = await run(snippet('commands'), { model: kit, device }, ['controlled'])
    assert.deepEqual(await tell(), { set_point: 21 })
    await (controlled as { stop(): Promise<void> }).stop()
    const { key } = await createApiKey(
      service.context,
      { kind: 'operator' },
      { partner_id: model.partner_id },
      { name: 'Kit' },
    )
    const { fleet } = await run(snippet('fleet').replace("apiKey: '…'", `apiKey: '${key}'`), {}, ['fleet'])
    assert.equal(await tell(), null)
    await (fleet as { stop(): Promise<void> }).stop()
  })

  it('3. reads a webhook, and names every event there is', async () => {
    const secret = `whsec_${btoa('a secret of the tests, long enough')}`
    const body = JSON.stringify({
      type: 'device.claimed',
      timestamp: new Date().toISOString(),
      data: { device_id: 'd' },
    })
    const headers = signatureHeaders({ id: 'e1', at: new Date(), payload: body }, [secret])
    const { event } = await run(snippet('webhook'), { secret, body, request: { headers } }, ['event'])
    assert.equal((event as { type: string }).type, 'device.claimed')
    for (const type of eventTypes) assert.ok(page.includes(`\`${type}\``), type)
  })

  it('4. names addresses that exist', async () => {
    const { paths } = (await service.app.inject({ url: '/openapi.json' })).json<{ paths: object }>()
    const named = [...page.matchAll(/(\/core\/v1\/[a-z/{}-]+[a-z}])/g)].map(([, path]) => path!)
    assert.ok(named.length >= 5, `${named.length} addresses found`)
    for (const path of named) assert.ok(path in paths, path)
  })
})
