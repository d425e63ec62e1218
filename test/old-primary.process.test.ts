// A leader with an old timeline returns: no process follows it, each says why, and an operator may accept the loss.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLog } from '../server/src/platform/log.ts'
import { startPrivatePostgres } from '../server/src/platform/private-postgres/private-postgres.ts'
import { operatorKey } from './support/keys.ts'
import { removeFolder } from './support/remove-folder.ts'
import { onDatabase, startService } from './support/service.ts'
import { until } from './support/until.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'landbridge-primaries-'))
await chmod(folder, 0o711)
const log = createLog('error')
const open = async (name: string, settings: Record<string, string> = {}) => {
  const server = await startPrivatePostgres({
    folder: join(folder, name),
    log,
    onLost: () => process.exit(1),
    settings,
  })
  return { ...server, port: Number(new URL(server.url).port) }
}

/** The address of the database, which leads to one server at a time, as a virtual address does. */
let target = 0
const lines = new Set<Socket>()
const virtual = createServer((socket) => {
  const onward = connect(target, '127.0.0.1')
  for (const line of [socket, onward]) {
    lines.add(line)
    line.on('error', () => {}).on('close', () => [socket, onward].map((end) => lines.delete(end.destroy())))
  }
  socket.pipe(onward).pipe(socket)
}).listen(0, '127.0.0.1')
await once(virtual, 'listening')
function leadTo(port: number): void {
  target = port
  for (const line of lines) line.destroy()
}

const before = await open('old')
leadTo(before.port)
const address = new URL(before.url)
address.port = String((virtual.address() as AddressInfo).port)
const env = onDatabase(address.href)
const service = await startService({ env })
const at = service.ready.public_url
await createPartner('before', 201)

// The second server recovers from a copy of the first one's files, which begins a timeline.
await before.stop()
await run('cp', ['-a', join(folder, 'old'), join(folder, 'new')])
await writeFile(join(folder, 'new', 'cluster', 'recovery.signal'), '')
await run('chown', ['--reference', join(folder, 'new', 'cluster'), join(folder, 'new', 'cluster', 'recovery.signal')])
const [old, promoted] = await Promise.all([open('old'), open('new', { restore_command: 'false', hot_standby: 'off' })])
after(async () => {
  await service.kill()
  virtual.close()
  leadTo(0)
  await Promise.all([old.stop(), promoted.stop()])
  await removeFolder(folder)
})

async function createPartner(name: string, expected: number): Promise<void> {
  const admin = { name: 'Ada', email: `${name}@example.com`, password: 'correct horse battery' }
  const response = await fetch(`${at}/core/v1/operator/partners`, {
    method: 'POST',
    headers: { authorization: operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name, portal_domain: null, admin }),
  })
  assert.equal(response.status, expected, await response.text())
}

async function partners(): Promise<string[]> {
  const response = await fetch(`${at}/core/v1/operator/partners`, { headers: { authorization: operatorKey } })
  const { items } = (await response.json()) as { items: { name: string }[] }
  return items.map(({ name }) => name).toSorted()
}

async function readiness(): Promise<{ status: number; reason?: string }> {
  const response = await fetch(`${at}/readyz`)
  return { ...((await response.json()) as { reason?: string }), status: response.status }
}

const untilReady = () => until(async () => (await readiness()).status === 200, 'the service is ready')
const untilRefused = () => until(async () => /lacks/.test((await readiness()).reason ?? ''), 'the primary is refused')
const timesLogged = () => service.output().match(/"msg":"[^"]*the primary lacks/g)?.length

async function refusedMetric(): Promise<string | undefined> {
  const response = await fetch(`${at}/metrics`, { headers: { authorization: operatorKey } })
  return /^landbridge_primary_refused (\d)$/m.exec(await response.text())?.[1]
}

describe('decision 3.41: an old primary returns', () => {
  it('a promoted standby is followed at once', async () => {
    leadTo(promoted.port)
    await untilReady()
    await createPartner('acknowledged', 201)
    assert.equal(await refusedMetric(), '0')
  })

  it('the old timeline is refused with 503, in the log once, in /readyz and in a metric', async () => {
    leadTo(old.port)
    await untilRefused()
    const { status, reason } = await readiness()
    assert.equal(status, 503)
    assert.match(reason!, /\(timeline 1 at .*, where this process wrote to timeline 2 at .*npx landbridge accept-loss"/)
    for (const name of ['lost-1', 'lost-2', 'lost-3']) await createPartner(name, 503)
    assert.equal(await refusedMetric(), '1')
    assert.equal(timesLogged(), 1)
  })

  it('and forgotten when the right one is back', async () => {
    leadTo(promoted.port)
    await untilReady()
    assert.deepEqual(await partners(), ['acknowledged', 'before'])
    assert.equal(await refusedMetric(), '0')
  })

  it('accepted by an operator, it is used, and the one that was given up is refused', async () => {
    leadTo(old.port)
    await untilRefused()
    const { stdout } = await run(process.execPath, [program, 'accept-loss'], {
      env: { PATH: process.env.PATH, ...env },
    })
    assert.match(stdout, /^Accepted timeline 1 at /)
    await untilReady()
    assert.deepEqual(await partners(), ['before'])
    const events = await fetch(`${at}/core/v1/operator/audit-events?type=database.loss_accepted`, {
      headers: { authorization: operatorKey },
    })
    const { items } = (await events.json()) as { items: { details: { primary: string } }[] }
    assert.match(items[0]?.details.primary ?? '', /^timeline 1 at /)
    await createPartner('afterwards', 201)
    leadTo(promoted.port)
    await untilRefused()
    await createPartner('lost', 503)
    leadTo(old.port)
    await untilReady()
    assert.deepEqual(await partners(), ['afterwards', 'before'])
  })
})
