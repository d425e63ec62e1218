import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { Document } from '../openapi/document.ts'
import { startHarness } from '../support/harness.ts'
import { kitTexts } from './kit.ts'
import { portalTypes } from './portal.ts'

const heading = '// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.\n'
const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const kit = kitTexts(document)

for (const [what, file, source] of [
  ['operations of the portal', new URL('../../portal/src/api/generated.ts', import.meta.url), portalTypes(document)],
  ['types of the kit', new URL('../../client/src/generated-types.ts', import.meta.url), kit.types],
  ['resources of the kit', new URL('../../client/src/generated-resources.ts', import.meta.url), kit.resources],
] as const) {
  it(`the ${what} are those of the OpenAPI document`, async () => {
    const written = await formatted(heading + source)
    if (process.env.LANDBRIDGE_WRITE_API_TYPES) await writeFile(file, written)
    assert.equal(await readFile(file, 'utf8'), written, 'outdated: run npm run generate:api-types')
  })
}

async function formatted(source: string): Promise<string> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const child = spawn(process.execPath, [biome, 'format', '--stdin-file-path=client/src/generated.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(source)
  const [result, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error('What was generated is no TypeScript.')
  return result
}
