// The kit as a partner installs it: packed, unpacked elsewhere, and used by plain JavaScript.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'

const run = promisify(execFile)
const client = fileURLToPath(new URL('../../client', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'landbridge-kit-'))
const { url, service } = await startKitService()
after(() => rm(folder, { recursive: true, force: true }))

describe('@landbridge/client, packed', () => {
  const installed = join(folder, 'node_modules/@landbridge/client')

  it('holds JavaScript, types, a readme and the license', async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: client })
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(folder, archive!), '-C', installed, '--strip-components=1'])
    assert.deepEqual((await readdir(installed)).toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json'])
    const manifest = await readFile(join(installed, 'package.json'), 'utf8')
    const named = [...manifest.matchAll(/"\.\/(dist\/[^"]+)"/g)].map(([, path]) => path!)
    assert.ok(named.length > 20, String(named.length))
    for (const path of named) assert.ok(existsSync(join(installed, path)), path)
  })

  it('a bundle for browsers says why the kit is not for them', async () => {
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    const page = join(folder, 'page.js')
    await writeFile(page, `import { Application } from '@landbridge/client'\nnew Application({})`)
    const why = /holds client secrets, tokens and keys, which everybody could read in a browser/
    await assert.rejects(run(process.execPath, ['--conditions=browser', page], { cwd: folder }), why)
    const output = { input: page, output: { entryFileNames: 'bundle.js' } }
    const options = { outDir: join(folder, 'bundle'), modulePreload: false as const, rolldownOptions: output }
    await build({ root: folder, configFile: false, logLevel: 'silent', build: options })
    await assert.rejects(run(process.execPath, ['bundle/bundle.js'], { cwd: folder }), why)
    // Workers are servers, although they name themselves browsers as well.
    await run(
      process.execPath,
      ['--conditions=workerd', '--conditions=browser', '-e', "import('@landbridge/client')"],
      {
        cwd: folder,
      },
    )
  })

  it('both builds at once know each other’s errors', async () => {
    const script = join(folder, 'both.js')
    await writeFile(
      script,
      `import { createRequire } from 'node:module'
       import { DeviceModel, NetworkError } from '@landbridge/client'
       const other = createRequire(import.meta.url)('@landbridge/client')
       const error = await new DeviceModel({ entryUrl: 'http://127.0.0.1:1', modelId: 'm', hardwareKey: 'h', backoff: { attempts: 1 } })
         .register({}).catch((error) => error)
       console.log(other.NetworkError !== NetworkError, error instanceof other.NetworkError, error instanceof other.DeviceRemoved)`,
    )
    const { stdout } = await run(process.execPath, [script], { cwd: folder })
    assert.equal(stdout.trim(), 'true true false')
  })

  it('registers a device and sends for it', async () => {
    const { id: modelId, hardware_key: hardwareKey } = await newModel(service)
    const options = JSON.stringify({ entryUrl: url, modelId, hardwareKey })
    const script = join(folder, 'use.js')
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(
      script,
      `import { DeviceModel } from '@landbridge/client'
       const model = new DeviceModel(${options})
       const device = await model.register({ mac: '00:1a:2b:3c:4d:5e', sn: 'S1', firmware_version: '1.0.0' })
       await model.send(device, { status: 'online', telemetries: { temperature: 21.5 } })
       console.log(device.id)`,
    )
    const { stdout } = await run(process.execPath, [script], { cwd: folder })
    const [device] = await service.sql`select id, status from devices where model_id = ${modelId}`
    assert.deepEqual([device!.id, device!.status], [stdout.trim(), 'online'])
  })
})
