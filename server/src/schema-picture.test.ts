import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, it } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { readRelations } from '../../test/support/relations.ts'
import { drawSchema } from '../../test/support/schema-picture.ts'
import { openDatabase } from './platform/database/database.ts'

const file = new URL('../../docs/architecture.md', import.meta.url)
const [begin, end] = ['<!-- schema: npm run schema:picture -->\n', '<!-- end of schema -->\n']
const sql = openDatabase({ url: await createDatabase(), max: 1 })
after(() => sql.end({ timeout: 1 }))

it('docs/architecture.md shows the schema as it is, and every table and view has a comment', async () => {
  const document = await readFile(file, 'utf8')
  const [before, rest] = document.split(begin)
  const [current, behind] = rest!.split(end)
  const picture = `\n${await drawSchema(sql, await readRelations())}\n`
  assert.doesNotMatch(picture, /\|\s+\|$/m)
  if (process.env.SCHEMA_PICTURE === 'update') await writeFile(file, `${before}${begin}${picture}${end}${behind}`)
  else assert.equal(current, picture, 'out of date: npm run schema:picture')
})
