// The examples as a partner has them: copied out of the repository, with the kit that the service hands out.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { temporaryDataDir } from '../support/service.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const { service, url, application } = await startKitService()
const model = await newModel(service)
const folder = await temporaryDataDir()
/** Node.js 20 takes no TypeScript. `LANDBRIDGE_TEST_NODE` names another program, as one of version 20. */
const node = process.env.LANDBRIDGE_TEST_NODE ?? process.execPath
const flags = process.env.LANDBRIDGE_TEST_NODE ? [] : ['--no-experimental-strip-types']

function start(program: string, env: Record<string, string>) {
  const child = spawn(node, [...flags, program], { cwd: folder, env: { PATH: process.env.PATH!, ...env } })
  after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  }
  const wrote = (pattern: RegExp) => until(() => pattern.test(output), `${program} wrote ${pattern}: ${output}`, 60)
  return { child, wrote, output: () => output }
}

it('the examples run where they were copied, on a Node.js that takes no TypeScript', async () => {
  await cp(join(root, 'examples'), folder, { recursive: true, filter: (path) => !path.endsWith('/data') })
  await run(process.execPath, ['build.js'], { cwd: join(root, 'client') })
  // Nobody listens there: everything comes from the service.
  const options = ['--no-audit', '--no-fund', '--registry', 'http://127.0.0.1:1', '--fetch-retries', '0']
  await run('npm', ['install', ...options, '--cache', join(folder, 'cache'), `${url}/kit.tgz`], { cwd: folder })

  const fleet = start('http-fleet/fleet.js', {
    LANDBRIDGE_URL: url,
    MODEL_ID: model.id,
    HARDWARE_KEY: model.hardware_key,
    FLEET_EVERY_MS: '100',
  })
  await fleet.wrote(/5 devices report to/)
  await until(
    async () =>
      (await service.sql`select 1 from history join devices on number = device_number where sn like 'TH-%'`).length >=
      5,
    'a message of each',
    60,
  )
  fleet.child.kill('SIGINT')
  const [code] = await once(fleet.child, 'close')
  assert.equal(code, 0, fleet.output())

  const receiver = start('webhook-receiver/receiver.js', {
    WEBHOOK_SECRET: `whsec_${btoa('a secret of the tests')}`,
    PORT: '0',
  })
  await receiver.wrote(/Waiting for events at/)

  const app = start('app/main.js', {
    LANDBRIDGE_URL: url,
    CLIENT_ID: application.client_id,
    CLIENT_SECRET: application.client_secret,
    REDIRECT_URI: 'http://127.0.0.1:0/callback',
  })
  await app.wrote(/Open http/)
  for (const program of ['mqtt-fleet/fleet.js', 'controlled-fleet/fleet.js', 'controlled-fleet/commands.js']) {
    const { stderr } = await run(node, [...flags, '--check', program], { cwd: folder })
    assert.equal(stderr, '')
  }
})
