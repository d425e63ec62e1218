// The examples without pages, each as its own process against the real service.
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { Partner } from '../../client/src/index.ts'
import { PortalSession } from '../../server/src/cli/simulate/portal-session.ts'
import { labCommands } from '../../server/src/lab-model.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { createDatabase } from '../support/database.ts'
import { startExample } from '../support/examples.ts'
import { onDatabase, startService, temporaryDataDir } from '../support/service.ts'
import { until } from '../support/until.ts'

const databaseUrl = await createDatabase()
const dataDir = await temporaryDataDir()
const withLab = { LANDBRIDGE_LAB: 'true', LANDBRIDGE_DATA_DIR: dataDir }
const { ready } = await startService({ env: { ...onDatabase(databaseUrl), ...withLab } })
const url = ready.public_url
const sql = openDatabase({ url: databaseUrl, max: 2 })
after(() => sql.end({ timeout: 1 }))
const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
/** As `npm run example:…` finds the lab. */
const atLab = { LANDBRIDGE_URL: url, LANDBRIDGE_DATA_DIR: dataDir, FLEET_EVERY_MS: '200' }

async function messagesOf(sn: string): Promise<{ messages: number; status: string }> {
  const [row] = await sql`
    select count(history.*)::int as messages, min(status_of.status) as status
    from devices status_of left join history on device_number = number where sn like ${sn}`
  return row as { messages: number; status: string }
}

describe('examples', { concurrency: true }, () => {
  it('http-fleet: registers once, reports, and loses nothing when it is killed', async () => {
    const folder = await temporaryDataDir()
    const first = startExample('http-fleet/fleet.js', { ...atLab, FLEET_DATA: folder })
    await first.wrote(/5 devices report to http/)
    await until(async () => (await messagesOf('TH-%')).messages >= 5, 'a message of each', 120)
    await first.stop('SIGKILL')
    assert.equal((await stat(join(folder, 'TH-0001.json'))).mode & 0o777, 0o600)

    const { messages } = await messagesOf('TH-%')
    const second = startExample('http-fleet/fleet.js', { ...atLab, FLEET_DATA: folder })
    // What the first had sent may still arrive, so that alone does not show that the second runs.
    await second.wrote(/5 devices report to http/)
    await until(async () => (await messagesOf('TH-%')).messages > messages, 'it goes on', 120)
    assert.equal(await second.stop(), 0, second.output())
    assert.doesNotMatch(second.output(), /refused|Error/)
    const [row] = await sql`select count(*)::int as devices from devices where sn like 'TH-%'`
    assert.equal(row!.devices, 5)
  })

  it('mqtt-fleet: keeps a connection per device, trusts the certificate of the lab, and says goodbye', async () => {
    const fleet = startExample('mqtt-fleet/fleet.js', { ...atLab, FLEET_DATA: await temporaryDataDir() })
    await fleet.wrote(/3 devices report to mqtts:/)
    await until(async () => (await messagesOf('MQ-%')).messages >= 3, 'a message of each', 120)
    assert.equal(await fleet.stop(), 0, fleet.output())
    assert.doesNotMatch(fleet.output(), /rror/)
    assert.equal((await messagesOf('MQ-%')).status, 'online', 'whoever says goodbye does not count as offline')
  })

  it('controlled-fleet: declares what the lab declares, and does as it is told, over HTTP and MQTT', async () => {
    const source = await readFile(new URL('../../examples/controlled-fleet/commands.js', import.meta.url), 'utf8')
    const [, declared] = /defineCommands\((\[.*\])\)/s.exec(source)!
    assert.equal(JSON.stringify(runInNewContext(`(${declared})`)), JSON.stringify(labCommands))
    const folder = await temporaryDataDir()
    const env = { ...atLab, FLEET_EVERY_MS: '1000', FLEET_DATA: folder }
    const first = startExample('controlled-fleet/fleet.js', env)
    await first.wrote(/2 devices wait for commands at http/)
    const session = await PortalSession.signIn(url, lab.email, lab.password)
    const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      session.call(method, `/core/v1/organization${path}`, body, { 'landbridge-customer': lab.customer_id })
    const ids: string[] = []
    for (const index of [0, 1]) {
      const label = { sn: `CT-000${index + 1}`, mac: `02:00:5e:40:00:0${index}`, model_id: lab.model_id }
      ids.push((await call('POST', '/devices/claim', label)).id)
    }
    const tell = async (id: string, name: string, parameters: object = {}) => {
      const { id: command } = await call('POST', `/devices/${id}/commands`, { name, parameters })
      const read = () => call('GET', `/devices/${id}/commands/${command}?wait=5`)
      await until(async () => (await read()).finished_at !== null, name, 60)
      const { state, result, message } = await read()
      return [state, result ?? message]
    }
    for (const id of ids) {
      assert.deepEqual(await tell(id, 'set_point', { celsius: 24 }), ['done', { set_point: 24, mode: 'comfort' }])
      const refused = ['rejected', 'In eco mode it heats up to 25 °C.']
      assert.deepEqual(await tell(id, 'set_point', { celsius: 26, mode: 'eco' }), refused)
      assert.deepEqual(await tell(id, 'self_test'), ['done', { passed: true }])
      await call('PATCH', `/devices/${id}/settings`, { values: { set_point: 19, mode: 'eco' } })
      await until(async () => (await call('GET', `/devices/${id}/settings`)).state === 'in_sync', 'the settings', 60)
      const { state } = await call('GET', `/devices/${id}`)
      assert.deepEqual([state.set_point.value, state.mode.value], [19, 'eco'])
    }
    const rebooting = await call('POST', `/devices/${ids[0]}/commands`, { name: 'reboot' })
    await first.wrote(/CT-0001: restarts/)
    await first.stop('SIGKILL')
    const second = startExample('controlled-fleet/fleet.js', env)
    const reboot = () => call('GET', `/devices/${ids[0]}/commands/${rebooting.id}?wait=5`)
    await until(async () => (await reboot()).state === 'done', 'it is back', 60)
    assert.equal(await second.stop(), 0, second.output())
    assert.doesNotMatch(second.output(), /restarts|rror/)
  })

  it('webhook-receiver: takes what is signed, once, and nothing else', async () => {
    const session = await PortalSession.signIn(url, lab.email, lab.password)
    const asPartner = { 'landbridge-partner': lab.partner_id }
    const { key } = await session.call('POST', '/core/v1/partner/api-keys', { name: 'Example' }, asPartner)
    const partner = new Partner({ url, apiKey: key })
    const created = await partner.webhooks.create({ url: 'http://127.0.0.1:9/webhook', events: ['device.registered'] })
    const receiver = startExample('webhook-receiver/receiver.js', { WEBHOOK_SECRET: created.secret, PORT: '0' })
    const [, address] = await receiver.wrote(/Waiting for events at (\S+)/)
    await partner.webhooks.update(created.id, { url: address! })
    await partner.webhooks.test(created.id)
    await receiver.wrote(/webhook\.test/)
    await until(async () => (await partner.webhooks.deliveries.list(created.id).first(1))[0]?.state === 'delivered')
    const last = async () => (await partner.webhooks.deliveries.list(created.id).first(1))[0]!
    const { event_id, attempted_at } = await last()
    await partner.webhooks.deliveries.redeliver(created.id, event_id)
    await until(async () => {
      const delivery = await last()
      return delivery.attempted_at !== attempted_at && delivery.state === 'delivered'
    })
    assert.equal(receiver.output().match(/webhook\.test/g)!.length, 1, 'handled once')

    const forged = await fetch(address!, { method: 'POST', body: JSON.stringify({ type: 'webhook.test', data: {} }) })
    assert.equal(forged.status, 401)
    assert.equal((await fetch(address!)).status, 405)
    assert.equal((await fetch(new URL('/other', address))).status, 404)
  })

  it('each says what is missing, with the command that helps', async () => {
    const nowhere = { LANDBRIDGE_URL: 'http://127.0.0.1:1', LANDBRIDGE_DATA_DIR: dataDir }
    for (const path of ['app/main.js', 'http-fleet/fleet.js', 'mqtt-fleet/fleet.js']) {
      const example = startExample(path, nowhere)
      assert.equal(await example.ended, 1)
      assert.match(
        example.output(),
        /^There is no Landbridge at http:\/\/127\.0\.0\.1:1\. Start it with:\n\n {2}npm start\n/,
      )
    }
    const withoutLab = startExample('http-fleet/fleet.js', { LANDBRIDGE_URL: url, LANDBRIDGE_DATA_DIR: '/nowhere' })
    assert.equal(await withoutLab.ended, 1)
    assert.match(withoutLab.output(), /There is no lab in \/nowhere\/lab\.json/)
    const withoutSecret = startExample('webhook-receiver/receiver.js', {})
    assert.equal(await withoutSecret.ended, 1)
    assert.match(withoutSecret.output(), /WEBHOOK_SECRET=whsec_… npm run example:webhooks/)
  })
})
