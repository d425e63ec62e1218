// The packed kit on every runtime and compiler that its README names, each from the package registry, in a folder of its own.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { signatureHeaders } from '../../server/src/events/webhooks/signature.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const arm = process.arch === 'arm64'
const packages = {
  node20: `node-linux-${process.arch}@20.18.1`,
  node22: `node-linux-${process.arch}@22`,
  node24: `node-linux-${process.arch}@24`,
  deno: `@deno/linux-${process.arch}-glibc@2`,
  // The usual x64 build needs a processor with AVX2.
  bun: arm ? '@oven/bun-linux-aarch64@1' : '@oven/bun-linux-x64-baseline@1',
  workerd: arm ? '@cloudflare/workerd-linux-arm64@1' : '@cloudflare/workerd-linux-64@1',
  'typescript-5': 'typescript@5.0',
  'typescript-newest': 'typescript@latest',
}
const folder = await mkdtemp(join(tmpdir(), 'landbridge-matrix-'))
after(() => rm(folder, { recursive: true, force: true }))
const { service, url } = await startKitService()
const model = await newModel(service)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const bin = (name: string, file: string) => join(folder, 'node_modules', name, file)

before(async () => {
  const client = here('../../client')
  await run(process.execPath, ['build.js'], { cwd: client })
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  const aliases = Object.entries(packages).map(([name, version]) => `${name}@npm:${version}`)
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  await run('npm', ['install', ...options, `${url}/kit.tgz`, '@types/node@20', ...aliases], { cwd: folder })
  await copyFile(here('kit/scenario.js'), join(folder, 'scenario.js'))
  await copyFile(here('kit/types.ts'), join(folder, 'types.ts'))
  await mkdir(join(folder, 'commonjs'))
  await writeFile(join(folder, 'commonjs/package.json'), '{"type": "commonjs"}')
  await copyFile(here('kit/types.ts'), join(folder, 'commonjs/types.ts'))
})

function given(): object {
  const secret = `whsec_${btoa('a secret of the tests, long enough')}`
  const body = JSON.stringify({ type: 'device.claimed', timestamp: new Date().toISOString(), data: {} })
  const headers = signatureHeaders({ id: 'e1', at: new Date(), payload: body }, [secret])
  return { url, modelId: model.id, hardwareKey: model.hardware_key, secret, delivery: { headers, body }, mac: newMac() }
}

async function requireStored(deviceId: string): Promise<void> {
  const [row] = await service.sql`
    select count(*)::int as count from history where device_number = (select number from devices where id = ${deviceId})`
  assert.equal(row!.count, 10)
}

describe('the kit, packed', () => {
  const runtimes: Record<string, string[]> = {
    node20: [bin('node20', 'bin/node')],
    node22: [bin('node22', 'bin/node')],
    node24: [bin('node24', 'bin/node')],
    deno: [bin('deno', 'deno'), 'run', '--allow-all', '--quiet'],
    bun: [bin('bun', 'bin/bun')],
  }
  for (const [name, [program, ...options]] of Object.entries(runtimes)) {
    it(`${name}: registers, sends, keeps an outbox, reads a webhook, begins to connect`, async () => {
      const script = join(folder, `${name}.js`)
      await writeFile(
        script,
        `import { scenario } from './scenario.js'\nconsole.log(await scenario(${JSON.stringify(given())}))`,
      )
      const { stdout } = await run(program!, [...options, script], { cwd: folder })
      await requireStored(stdout.trim())
      console.log(`${name}: ${(await run(program!, ['--version'])).stdout.split('\n')[0]}`)
    })
  }

  for (const name of ['node20', 'node22', 'node24']) {
    it(`${name}: a CommonJS caller requires it`, async () => {
      const code = `const { DeviceModel } = require('@landbridge/client'); const { fileQueue } = require('@landbridge/client/file'); console.log(typeof DeviceModel, typeof fileQueue)`
      const { stdout } = await run(bin(name, 'bin/node'), ['-e', code], { cwd: join(folder, 'commonjs') })
      assert.equal(stdout.trim(), 'function function')
    })
  }

  it('workerd: the same, where a fetch out of place is an illegal invocation', async () => {
    const kit = join(folder, 'node_modules/@landbridge/client/dist/esm')
    const needed = (await readdir(kit)).filter(
      (name) => name.endsWith('.js') && !/^(file|sqlite|node-handlers|mqtt)/.test(name),
    )
    await writeFile(
      join(folder, 'worker.js'),
      `import { scenario } from 'scenario.js'
       export default { async fetch(request) {
         try { return new Response(await scenario(await request.json())) }
         catch (error) { return new Response(error.stack, { status: 500 }) }
       } }`,
    )
    // Modules are named by paths: the package's own name leads to its first file.
    const modules = [
      `(name = "worker.js", esModule = embed "worker.js")`,
      `(name = "scenario.js", esModule = embed "scenario.js")`,
      ...needed.map((file) => {
        const name = file === 'index.js' ? '@landbridge/client' : `@landbridge/${file}`
        return `(name = "${name}", esModule = embed "node_modules/@landbridge/client/dist/esm/${file}")`
      }),
    ]
    const config = join(folder, 'workerd.capnp')
    await writeFile(
      config,
      `using Workerd = import "/workerd/workerd.capnp";
       const config :Workerd.Config = (
         services = [
           (name = "main", worker = (modules = [${modules.join(',')}], compatibilityDate = "2026-01-01")),
           (name = "internet", network = (allow = ["public", "private", "local"]))
         ],
         sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
       );`,
    )
    const child = spawn(bin('workerd', 'bin/workerd'), ['serve', config, '--control-fd=3'], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    })
    try {
      let said = ''
      child.stdio[3]!.on('data', (bytes) => {
        said += bytes
      })
      await until(() => /"port":(\d+)/.test(said), 'workerd listens')
      const port = /"port":(\d+)/.exec(said)![1]
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(given()) })
      const text = await response.text()
      assert.equal(response.status, 200, text)
      await requireStored(text)
    } finally {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })

  const resolutions = {
    nodenext: ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
    bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  }
  // Reads no `exports`; TypeScript 7 does not have it any more.
  const oldResolution = { node10: ['--module', 'commonjs', '--moduleResolution', 'node10'] }
  for (const [compiler, resolutionsOf] of Object.entries({
    'typescript-5': { ...resolutions, ...oldResolution },
    'typescript-newest': resolutions,
  })) {
    for (const [how, options] of Object.entries(resolutionsOf)) {
      it(`${compiler} under ${how} compiles its callers strictly, and refuses what is wrong`, async () => {
        const files = how === 'nodenext' ? ['types.ts', 'commonjs/types.ts'] : ['types.ts']
        const strict = ['--strict', '--noEmit', '--target', 'es2022', '--types', 'node']
        const tsc = bin(compiler, 'bin/tsc')
        await run(bin('node24', 'bin/node'), [tsc, ...strict, ...options, ...files], { cwd: folder }).catch((error) => {
          throw new Error(error.stdout || error.message)
        })
      })
    }
  }
})
