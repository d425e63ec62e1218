import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen, startHarness } from '../../test/support/harness.ts'
import type { Context } from './context.ts'
import { openLab } from './lab.ts'
import { labCard } from './lab-card.ts'
import { labCommands, labDataPoints } from './lab-model.ts'
import { openDatabase } from './platform/database/database.ts'

const run = promisify(execFile)
const service = await startHarness()
const dataDir = await mkdtemp(join(tmpdir(), 'landbridge-lab-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const context: Context = { ...service.context, config: { ...service.context.config, dataDir } }

async function counts() {
  const [row] = await service.sql`
    select (select count(*)::int from partners) as partners, (select count(*)::int from customers) as customers,
           (select count(*)::int from applications) as applications, (select count(*)::int from models) as models`
  return { ...row }
}

describe('the lab', () => {
  it('a lab whose secrets cannot be stored is not created: nothing is left in the database', async () => {
    const nowhere = { ...context, config: { ...context.config, dataDir: join(fileURLToPath(import.meta.url), 'x') } }
    await assert.rejects(openLab(nowhere))
    assert.deepEqual(await counts(), { partners: 0, customers: 0, applications: 0, models: 0 })
  })

  it('of two processes that find the database empty, exactly one creates the lab', async () => {
    const other = openDatabase({ url: service.databaseUrl, max: 4 })
    const opened = await Promise.all([openLab(context), openLab({ ...context, sql: other })])
    await other.end()
    assert.equal(opened.filter((lab) => lab?.created).length, 1)
    assert.deepEqual(await counts(), { partners: 1, customers: 1, applications: 1, models: 1 })
  })

  it('its model declares commands and settings, so that a device of it can be told something at once', async () => {
    const [model] = await service.sql`select commands, dictionary from models`
    assert.deepEqual(model!.commands, labCommands)
    assert.deepEqual(
      labDataPoints.filter(({ settable }) => settable).map(({ key }) => key),
      ['set_point', 'mode'],
    )
  })

  it('its secrets are stored for the owner only, and work', async () => {
    const file = join(dataDir, 'lab.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const lab = JSON.parse(await readFile(file, 'utf8'))
    const registered = await service.app.inject({
      method: 'POST',
      url: '/v1/devices',
      payload: {
        ...{ device_model: lab.model_id, hardware_key: lab.hardware_key },
        ...{ mac: '02:00:00:00:00:01', sn: 'LAB-0001', firmware_version: '1.0.0' },
      },
    })
    assert.equal(registered.statusCode, 201)
  })

  it('when the port changes, so does the portal domain of the lab', async () => {
    const moved = { ...context, addresses: { ...context.addresses, publicUrl: 'http://localhost:4711' } }
    const { lab, created } = (await openLab(moved))!
    assert.deepEqual([lab.portal_domain, created], ['localhost:4711', false])
    const [partner] = await service.sql`select portal_domain from partners`
    assert.equal(partner!.portal_domain, 'localhost:4711')
  })

  it('the card prints the secrets once, to a terminal only; otherwise it says where they are stored', async () => {
    const { lab } = (await openLab(context))!
    const card = (created: boolean, terminal: boolean) =>
      labCard(lab, context.addresses, context.config, { created, terminal })
    for (const secret of [lab.password, lab.client_secret, lab.hardware_key]) {
      assert.ok(card(true, true).includes(secret))
      for (const text of [card(true, false), card(false, true), card(false, false)]) assert.ok(!text.includes(secret))
    }
    for (const terminal of [true, false]) {
      assert.equal(commandsOf(card(true, terminal)).length, 4)
      assert.ok(card(true, terminal).includes(`npm install ${context.addresses.publicUrl}/kit.tgz\n`))
      assert.match(card(true, terminal), /lab\.json/)
    }
  })

  it('the commands of the card register a device and send its telemetry, on a terminal and in a log', async () => {
    const url = await listen(service)
    const { lab } = (await openLab(context))!
    for (const terminal of [true, false]) {
      const card = labCard(lab, context.addresses, context.config, { created: true, terminal })
      const other = terminal ? '2' : '3'
      const [register, send] = commandsOf(card.replace('00:01', `00:0${other}`).replace('LAB-0001', `LAB-${other}`))
      const { stdout, stderr } = await run('sh', ['-c', `${curl}\n${register}\n${send}`])
      const [device, stored] = stdout.trim().split('\n')
      assert.deepEqual([JSON.parse(device!).hub_url, JSON.parse(stored!)], [url, { success: true }], stderr)
    }
  })
})

const commandsOf = (card: string) =>
  [...card.matchAll(/^ {4}((?:device=\$\()?curl .*)$/gm)].map(([, command]) => command!)

/** A machine with only Node.js and npm may have no curl: so much of it as the commands use. */
const curl = `curl() { ${process.execPath} -e '
  const { values, positionals } = require("util").parseArgs({
    args: process.argv.slice(1), allowPositionals: true,
    options: { s: { type: "boolean", short: "s" }, X: { type: "string", short: "X" }, d: { type: "string", short: "d" },
      H: { type: "string", short: "H", multiple: true } } })
  const headers = values.H.map((line) => line.split(/: (.*)/).slice(0, 2))
  fetch(positionals[0], { method: values.X, headers, body: values.d }).then(async (r) => console.log(await r.text()))
' -- "$@"; }`
