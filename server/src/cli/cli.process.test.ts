import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startHarness } from '../../../test/support/harness.ts'
import { operatorKey } from '../../../test/support/keys.ts'
import { insertBuckets, insertCell } from '../devices/store/hub-cells-sql.ts'

const service = await startHarness()
await service.app.listen({ host: '127.0.0.1', port: 0 })
const url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
const program = fileURLToPath(new URL('../../landbridge.js', import.meta.url))
const dataDir = await mkdtemp(join(tmpdir(), 'landbridge-cli-'))
after(() => rm(dataDir, { recursive: true, force: true }))

interface Run {
  code: number
  out: string
  err: string
}

function run(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const environment = { PATH: process.env.PATH ?? '', LANDBRIDGE_DATA_DIR: dataDir, ...env }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: environment }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

const here = ['--url', url, '--key', operatorKey]

async function json(...args: string[]) {
  const { code, out, err } = await run([...args, ...here, '--json'])
  assert.equal(code, 0, err)
  assert.equal(err, '')
  return JSON.parse(out)
}

describe('the command line', () => {
  it('manages a partner from its creation to a rotated secret, in JSON', async () => {
    const partner = await json(
      'partner',
      'create',
      '--name',
      'Acme',
      '--portal-domain',
      'acme.test',
      '--email',
      'a@acme.test',
    )
    assert.match(partner.password, /^.{16}$/)
    const application = await json(
      ...['application', 'create', '--partner', partner.id, '--name', 'App', '--alg', 'ES256'],
      ...['--redirect-uri', 'https://a.test/1', '--redirect-uri', 'https://a.test/2'],
    )
    assert.deepEqual(application.redirect_uris, ['https://a.test/1', 'https://a.test/2'])
    const asking = await json('application', 'change', application.client_id, '--asks-for', 'devices read Shows rooms.')
    assert.deepEqual(asking.requested_permissions, { devices: { level: 'read', reason: 'Shows rooms.' } })
    const all = await json('application', 'change', application.client_id, '--asks-for', 'everything')
    assert.equal(all.requested_permissions, null)
    const rotated = await json('secret', 'rotate', application.client_id, '--overlap-seconds', '0')
    assert.notEqual(rotated.client_secret, application.client_secret)
    assert.equal((await json('application', 'disable', application.client_id)).enabled, false)
    assert.equal((await json('application', 'enable', application.client_id)).enabled, true)
    const customer = await json('customer', 'create', '--partner', partner.id, '--name', 'Customer')
    const user = await json(
      'user',
      'add',
      '--customer',
      customer.id,
      '--name',
      'U',
      '--email',
      'u@c.test',
      '--group',
      'G',
    )
    assert.deepEqual([user.role, user.groups[0].name], ['member', 'G'])
    assert.equal((await json('user', 'list', '--customer', customer.id)).items.length, 1)
    assert.match((await json('user', 'reset-password', user.id)).link, /^http/)
    const other = await json('customer', 'create', '--partner', partner.id, '--name', 'Other')
    const known = await json('user', 'add', '--customer', other.id, '--name', 'U', '--email', 'u@c.test')
    assert.equal((await json('user', 'list', '--customer', other.id)).items.length, 0)
    const [invitation] = (await json('invitation', 'list', '--customer', other.id)).items
    assert.equal(invitation.id, known.id)
    assert.match((await json('invitation', 'link', invitation.id)).link, /^http/)
    assert.equal((await run(['invitation', 'withdraw', invitation.id, ...here])).code, 0)
    assert.deepEqual(await json('user', 'end-sessions', user.id), { sessions: 0 })
    assert.match((await json('user', 'release-email', user.id)).email, /@released\.invalid$/)
    const { items } = await json('audit', '--type', 'application.created')
    assert.equal(items[0].application_id, application.client_id)
    const key = await json('key', 'add', '--alg', 'ES256')
    assert.ok((await json('key', 'list')).items.some(({ kid }: { kid: string }) => kid === key.kid))
  })

  it('moves devices between hub cells', async () => {
    const none = await run(['cell', 'list', ...here])
    assert.deepEqual([none.code, none.out], [0, ''])
    assert.match(none.err, /^No hub cells\. .*LANDBRIDGE_CELL=<name> adds one\.\n$/)
    const at = service.clock.now()
    for (const name of ['eu-1', 'eu-2']) {
      const hub = `https://${name}.test`
      await insertCell(service.sql, name, { hub_url: hub, hub_url_static_cert: hub, mqtt_hub_url: hub }, at)
    }
    await insertBuckets(service.sql, 'eu-1', 1_024, at)
    const listed = await run(['cell', 'list', ...here])
    assert.match(listed.out, /eu-1 +open +true +1024 +https:\/\/eu-1\.test/)
    assert.equal((await json('cell', 'move', 'eu-2', '--buckets', '1', '--from', 'eu-1')).moved, 1)
    assert.equal((await json('cell', 'rebalance', '--redirect-over-seconds', '0')).moved, 511)
    const drained = await json('cell', 'drain', 'eu-2', '--no-redirect')
    assert.deepEqual([drained.moved, drained.items[0].buckets_without_redirect], [512, 512])
    assert.equal((await json('cell', 'open', 'eu-2')).items[1].state, 'open')
    const refused = await run(['cell', 'remove', 'eu-1', ...here])
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /still has buckets/)
  })

  it('prints a list as a table, and the next page on stderr', async () => {
    const { code, out, err } = await run(['customer', 'list', '--limit', '1', ...here])
    assert.equal(code, 0)
    const [header, row] = out.trimEnd().split('\n')
    assert.match(header!, /^id +name +lab +partner_id +created_at$/)
    assert.match(row!, /^[0-9a-f-]{36} {2}Acme \(test tenant\)/)
    assert.match(err, /^More results: --after [0-9a-f-]{36}\n$/)
    const narrowed = await run(['customer', 'list', '--partner', '01980000-0000-7000-8000-000000000000', ...here])
    assert.equal(narrowed.err, 'No customers match these options.\n')
  })

  it('finds the service and its key in the data folder', async () => {
    await writeFile(join(dataDir, 'address'), `${url}\n`)
    await writeFile(join(dataDir, 'operator.key'), `${operatorKey}\n`)
    const { code, out } = await run(['partner', 'list'])
    assert.deepEqual([code, out.split('\n').length], [0, 3])
  })

  const misuses: [string[], RegExp][] = [
    [['frobnicate'], /Unknown command "frobnicate"/],
    [['partner', 'frobnicate'], /Unknown command "partner frobnicate"/],
    [['partner', 'create'], /Missing --name/],
    [['partner', 'show'], /Missing <partner-id>/],
    [['partner', 'show', 'a', 'b'], /Unexpected argument "b"/],
    [['partner', 'list', '--colour'], /--colour/],
    [[], /^Usage: landbridge/],
    [['partner'], /^"partner" needs a command\.\n\nUsage: landbridge/],
    [['serve', '--colour'], /--colour/],
    [['serve', 'here'], /Unexpected argument "here"/],
    [['migrate', '--port', '1'], /--port/],
    [['backup'], /Missing <folder>/],
    [['doctor', 'x'], /Unexpected argument "x"/],
  ]
  for (const [args, message] of misuses) {
    it(`exits 2 for "${args.join(' ')}"`, async () => {
      const { code, err } = await run(args)
      assert.equal(code, 2)
      assert.match(err, message)
      assert.doesNotMatch(err, /\n {4}at /)
    })
  }

  const refusals: [string, string[], RegExp][] = [
    ['the service refuses', ['partner', 'show', 'nobody', ...here], /^404: \w+ not found\./],
    ['the key is wrong', ['partner', 'list', '--url', url, '--key', 'wrong'], /^401: Not authorized/],
    [
      'the service cannot be reached',
      ['partner', 'list', '--url', 'http://127.0.0.1:1', '--key', 'k'],
      /^Cannot reach http/,
    ],
  ]
  for (const [when, args, message] of refusals) {
    it(`exits 1 with one line when ${when}`, async () => {
      const { code, out, err } = await run(args)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, message)
      assert.equal(err.trimEnd().split('\n').length, 1)
    })
  }

  it('with --json, why it failed is JSON on stderr', async () => {
    const refused = await run(['key', 'add', '--alg', 'HS256', ...here, '--json'])
    assert.deepEqual([refused.code, refused.out], [1, ''])
    const { status, code, details } = JSON.parse(refused.err)
    assert.deepEqual([status, code], [422, 'invalid'])
    assert.deepEqual(details, [{ field: 'alg', message: 'must be one of RS256, ES256' }])
    const wrongLine = await run(['partner', 'show', '--json'])
    assert.equal(wrongLine.code, 2)
    assert.match(JSON.parse(wrongLine.err).error, /^Missing <partner-id>/)
    const away = await run(['partner', 'list', '--url', 'http://127.0.0.1:1', '--key', 'k', '--json'])
    assert.match(JSON.parse(away.err).error, /^Cannot reach http/)
  })

  it('prints help, of everything, of a noun and of one command', async () => {
    for (const args of [['help'], ['--help']]) assert.match((await run(args)).out, /^Usage: landbridge/)
    assert.match((await run(['partner', 'create', '--help'])).out, /--portal-domain <portal-domain>\s+optional/)
    assert.match((await run(['partner', '--help'])).out, /partner create/)
    for (const noun of ['serve', 'migrate', 'doctor', 'backup', 'restore']) {
      const { code, out } = await run([noun, '--help'])
      assert.equal(code, 0)
      assert.match(out, new RegExp(`^Usage: landbridge ${noun}.*\\[options\\]`))
    }
  })

  it('prints its version', async () => {
    const { out } = await run(['--version'])
    assert.match(out, /^\d+\.\d+\.\d+\n$/)
  })

  it('serve takes --port and --data-dir instead of the variables', async () => {
    const elsewhere = join(dataDir, 'not-a-folder')
    await writeFile(elsewhere, '')
    const { code, err } = await run(['serve', '--data-dir', elsewhere])
    assert.equal(code, 1)
    assert.match(err, /^The data folder cannot be created: .*not-a-folder/)
    const wrong = await run(['serve', '--port', 'http'])
    assert.deepEqual([wrong.code, wrong.err], [2, 'PORT must be a port from 0 to 65535 (0 means any free one)\n'])
  })

  it('a data folder that cannot be written to is one sentence, without a stack', async () => {
    const folder = join(dataDir, 'unwritable')
    // Everybody, root too, fails to open a folder for writing, as on a read-only disk.
    await mkdir(join(folder, 'lock'), { recursive: true })
    for (const args of [['serve'], ['migrate'], ['backup', join(dataDir, 'copy')]]) {
      const { code, err } = await run([...args, '--data-dir', folder])
      assert.equal(code, 1, args[0])
      assert.equal(
        err,
        `Cannot use ${join(folder, 'lock')}: it is a folder. Fix that, or set LANDBRIDGE_DATA_DIR to another folder.\n`,
      )
    }
  })

  it('migrates, and reports a database that is up to date', async () => {
    const { code, out } = await run(['migrate'], { DATABASE_URL: service.databaseUrl })
    assert.deepEqual([code, out], [0, 'The database is up to date.\n'])
  })
})
