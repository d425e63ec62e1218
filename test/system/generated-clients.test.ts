// Clients that other programs generate from the OpenAPI document, the linter Spectral, and the parser of AsyncAPI's
// makers: installed in a folder of their own, since they need TypeScript 5 and a hundred megabytes.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removeFolder } from '../support/remove-folder.ts'
import { startService, temporaryDataDir } from '../support/service.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-clients-'))
after(() => removeFolder(folder))
await cp(fileURLToPath(new URL('generated-clients/', import.meta.url)), folder, { recursive: true })
for (const name of ['openapi-typescript', 'hey-api']) {
  await rename(join(folder, `${name}.txt`), join(folder, `call-${name}.ts`))
}
let call = ''
await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'])

const dataDir = await temporaryDataDir()
const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_LAB: 'true' } })
after(() => service.stop())
const url = service.ready.public_url
for (const name of ['openapi.json', 'asyncapi.json']) {
  await writeFile(join(folder, name), await (await fetch(`${url}/${name}`)).text())
}
call = JSON.stringify({
  url,
  operatorKey: (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim(),
  lab: JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8')),
})

describe('clients generated from the OpenAPI document', () => {
  it('openapi-typescript and hey-api: plain names, strict types, and calls that work', async () => {
    await runNode(['node_modules/openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'types.ts'])
    await runNode(['node_modules/@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api'])
    await runNode(['node_modules/typescript/bin/tsc', '-p', '.'])
    for (const name of ['openapi-typescript', 'hey-api']) {
      const output = JSON.parse(await runNode([`compiled/call-${name}.js`]))
      assert.deepEqual(output.names, ['Lab'], name)
    }
  })

  it('the OpenAPI document: Spectral finds nothing to say about it', async () => {
    await writeFile(join(folder, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }))
    const lint = 'lint openapi.json --ruleset spectral.json --fail-severity hint --format json --quiet'
    const output = await runNode(['node_modules/@stoplight/spectral-cli/dist/index.js', ...lint.split(' ')])
    assert.deepEqual(JSON.parse(output), [])
  })

  it('the AsyncAPI document: its makers’ parser finds nothing wrong', async () => {
    await writeFile(
      join(folder, 'parse.mjs'),
      `import { readFileSync } from 'node:fs'
       import { Parser } from '@asyncapi/parser'
       const { diagnostics } = await new Parser().parse(readFileSync('asyncapi.json', 'utf8'))
       console.log(JSON.stringify(diagnostics.filter(({ severity }) => severity < 2)))`,
    )
    assert.deepEqual(JSON.parse(await runNode(['parse.mjs'])), [])
  })
})

async function runNode(args: string[]): Promise<string> {
  return await run(process.execPath, args)
}

async function run(command: string, args: string[]): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, CALL: call }, maxBuffer: 64 * 1024 * 1024 }
  try {
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`.slice(0, 5_000))
  }
}
