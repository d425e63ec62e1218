// The kit as a partner installs it: packed, unpacked elsewhere, and used by plain JavaScript.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { version } from '../../server/src/platform/version.ts'
import { newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'

const run = promisify(execFile)
const client = fileURLToPath(new URL('../../client', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'landbridge-kit-'))
const { url, service } = await startKitService()
after(() => rm(folder, { recursive: true, force: true }))

async function read(path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('@landbridge/client, packed', () => {
  const installed = join(folder, 'node_modules/@landbridge/client')

  it('the service hands it out, with its digest, and to nobody who has it', async () => {
    await run(process.execPath, ['build.js'], { cwd: client })
    const { headers, ...response } = await read('/kit.tgz')
    const digest = createHash('sha512').update(response.bytes).digest()
    assert.deepEqual([response.status, headers.get('content-type')], [200, 'application/gzip'])
    assert.equal(headers.get('cache-control'), 'public, no-cache')
    assert.equal(headers.get('repr-digest'), `sha-512=:${digest.toString('base64')}:`)
    assert.match(headers.get('content-disposition')!, new RegExp(`landbridge-client-${version}\\.tgz`))
    const { bytes: beside } = await read('/kit.tgz.sha512')
    assert.equal(beside.toString(), `${digest.toString('hex')}  kit.tgz\n`)
    const known = await read('/kit.tgz', { headers: { 'if-none-match': headers.get('etag')! } })
    assert.deepEqual([known.status, known.bytes.length], [304, 0])
    const head = await read('/kit.tgz', { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('etag')], [200, headers.get('etag')])
    assert.equal(head.headers.get('content-length'), String(response.bytes.length))
    assert.equal((await read('/kit.tgz', { method: 'POST' })).status, 405)
  })

  it('the same sources give the same bytes', async () => {
    const before = await readFile(join(client, 'kit.tgz'))
    await run(process.execPath, ['build.js'], { cwd: client })
    assert.ok(before.equals(await readFile(join(client, 'kit.tgz'))))
  })

  it('npm installs it from the address of the service, and needs nothing else: JavaScript, types, a readme, a changelog, the license', async () => {
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    // Nobody listens there: everything that it needs must come from the service.
    const nowhere = ['--registry', 'http://127.0.0.1:1', '--fetch-retries', '0', '--cache', join(folder, 'cache')]
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', ...nowhere]
    await run('npm', ['install', ...options, `${url}/kit.tgz`], { cwd: folder })
    const files = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']
    assert.deepEqual((await readdir(installed)).toSorted(), files)
    assert.ok((await readFile(join(installed, 'CHANGELOG.md'), 'utf8')).includes(`\n## ${version}\n`))
    const license = await readFile(new URL('../../LICENSE', import.meta.url), 'utf8')
    assert.equal(await readFile(join(installed, 'LICENSE'), 'utf8'), license)
    const manifest = await readFile(join(installed, 'package.json'), 'utf8')
    const { version: installedVersion, peerDependencies, peerDependenciesMeta, scripts } = JSON.parse(manifest)
    assert.deepEqual([installedVersion, scripts], [version, undefined])
    assert.deepEqual(Object.keys(peerDependencies).toSorted(), ['ioredis', 'mqtt', 'pg', 'redis'])
    for (const name of Object.keys(peerDependencies)) assert.deepEqual(peerDependenciesMeta[name], { optional: true })
    const named = [...manifest.matchAll(/"\.\/(dist\/[^"]+)"/g)].map(([, path]) => path!)
    assert.ok(named.length > 20, String(named.length))
    for (const path of named) assert.ok(existsSync(join(installed, path)), path)
  })

  it('`npm pack`, and so `npm publish`, has the same files, under its name and license', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: client })
    // npm 12 returns an object by name.
    const [packed] = Object.values(JSON.parse(stdout)) as [{ name: string; version: string; files: { path: string }[] }]
    assert.deepEqual([packed.name, packed.version], ['@landbridge/client', version])
    const handedOut = await readdir(installed, { recursive: true, withFileTypes: true })
    const paths = handedOut.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    assert.deepEqual(
      packed.files.map(({ path }) => path).toSorted(),
      paths.map((path) => relative(installed, path)).toSorted(),
    )
    const { license, types } = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'))
    assert.deepEqual([license, existsSync(join(installed, types))], ['Apache-2.0', true])
  })

  it('a compiler that does not read `exports` finds the types of every subpath', async () => {
    const { exports, typesVersions } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    const subpaths = Object.keys(exports).filter((path) => path !== '.' && !path.endsWith('.json'))
    const expected = subpaths.map((path) => [path.slice(2), [exports[path].require.types]])
    assert.deepEqual(typesVersions, { '*': Object.fromEntries(expected) })
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
