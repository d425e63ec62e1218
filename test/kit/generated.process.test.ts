import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { it } from 'node:test'
import type { Document } from '../openapi/document.ts'
import { startHarness } from '../support/harness.ts'
import { generatedClient } from './generated-client.ts'

const service = await startHarness()

it('the kit has the types and operations of the OpenAPI document', async () => {
  const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
  for (const [name, text] of Object.entries(await generatedClient(document))) {
    const file = new URL(`../../client/src/${name}`, import.meta.url)
    if (process.env.LANDBRIDGE_WRITE_API_TYPES) await writeFile(file, text)
    assert.equal(await readFile(file, 'utf8'), text, 'outdated: run npm run generate:api-types')
  }
})
