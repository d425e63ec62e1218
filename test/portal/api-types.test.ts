import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { it } from 'node:test'
import type { Document } from '../openapi/document.ts'
import { startHarness } from '../support/harness.ts'
import { portalTypes } from './api-types.ts'

const file = new URL('../../portal/src/api/generated.ts', import.meta.url)
const service = await startHarness()

it('the portal reads the API by the types of the OpenAPI document', async () => {
  const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
  const types = portalTypes(document)
  if (process.env.LANDBRIDGE_WRITE_API_TYPES) await writeFile(file, types)
  assert.equal(await readFile(file, 'utf8'), types, 'outdated: run npm run generate:api-types')
})
