import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from '@swc/core'
import { type Area, readRelations } from '../../test/support/relations.ts'
import { readMigrations } from './platform/database/migration-files.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Whose views an area may name: those of the areas that it may import. Everything else in server/src names no table. */
const mayRead: Record<Area, Area[]> = {
  platform: [],
  events: [],
  directory: ['events'],
  authorization: ['events', 'directory'],
  devices: ['events', 'directory'],
}

/** Names that follow a word after which SQL expects a table, or a comma in a list of tables. */
function namesIn(sql: string): string[] {
  const position = /\b(?:from|join|into|update|table|using|truncate|references)\s+(?:only\s+)?(\w+)|,\s*(\w+)/gi
  const literal = /'(\w+)'::regclass/gi
  return [...sql.matchAll(position), ...sql.matchAll(literal)].map((match) => match[1] ?? match[2]!)
}

/** What this check reads of a syntax tree. */
interface Node {
  type: string
  tag?: Node
  callee?: Node
  property?: Node
  template?: Node
  arguments?: { expression: Node }[]
  quasis?: { raw: string }[]
  value?: unknown
}

/** The texts that are sent to Postgres: templates with a tag, what is given to `unsafe`, and names given to the tag. */
function sqlIn(tree: unknown, found: string[] = []): string[] {
  if (tree === null || typeof tree !== 'object') return found
  const node = tree as Node
  if (node.type === 'TaggedTemplateExpression' && node.tag!.value !== 'html') found.push(textOf(node.template!))
  if (node.type === 'CallExpression' && node.arguments![0]) {
    const given = textOf(node.arguments![0].expression)
    const called = node.callee!.property?.value ?? node.callee!.value
    if (called === 'unsafe') found.push(given)
    if (called === 'sql') found.push(`table ${given}`)
  }
  for (const child of Object.values(tree)) sqlIn(child, found)
  return found
}

function textOf({ quasis, value }: Node): string {
  return quasis ? quasis.map(({ raw }) => raw).join(' $ ') : String(value)
}

async function namesOfFile(path: string): Promise<string[]> {
  const code = await parse(await readFile(path, 'utf8'), { syntax: 'typescript' })
  return sqlIn(code).flatMap(namesIn)
}

const relations = await readRelations()
relations.set('migrations', { area: 'platform', kind: 'table' }) // created before the first file is applied

function judge(area: string, name: string): 'ok' | 'forbidden' {
  const relation = relations.get(name)
  if (!relation || relation.area === area) return 'ok'
  return relation.kind === 'view' && mayRead[area as Area]?.includes(relation.area) ? 'ok' : 'forbidden'
}

const telemetryTables = new Set([
  'device_states',
  'history',
  'history_default',
  'history_retention',
  'status_changes',
  'status_history',
  'offline_deadlines',
  'device_connections',
  'device_commands',
  'device_settings',
])

describe('decision 3.12: telemetry could be in a database of its own', () => {
  it('only its store names its tables, and names no others', async () => {
    const wrong: string[] = []
    for await (const file of glob('**/*.ts', { cwd: folder })) {
      if (file.endsWith('.test.ts')) continue
      const inStore = file.startsWith('devices/telemetry-store/')
      for (const name of new Set(await namesOfFile(`${folder}${file}`))) {
        if (relations.has(name) && telemetryTables.has(name) !== inStore) wrong.push(`${file} names ${name}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('every key of its tables begins with the bucket; only what is one row for all has none', async () => {
    const migrations = (await readMigrations()).filter(({ name }) => name.includes('devices'))
    const text = migrations.map((migration) => migration.text).join('\n')
    for (const table of telemetryTables) {
      const [, columns] = new RegExp(`^create table ${table} \\(([^;]+)\\)[^)]*;`, 'm').exec(text) ?? []
      if (table === 'history_retention' || table === 'history_default') continue
      assert.ok(columns, table)
      assert.match(columns, /^ {2}bucket +smallint not null/m, table)
      const keys = [...text.matchAll(new RegExp(`unique index \\w+ on ${table} \\(([^,]+)`, 'g'))]
      for (const [, first] of [...keys, ...columns.matchAll(/primary key \(([^,]+)/g)])
        assert.equal(first, 'bucket', table)
      assert.ok(!/references|identity| primary key,/.test(columns), table)
    }
  })
})

describe('decision 3.10: an area names its own tables, and the views of areas that it may import', () => {
  it('in all SQL of the service', async () => {
    const files = await Array.fromAsync(glob('**/*.ts', { cwd: folder }))
    const forbidden: string[] = []
    const named = new Set<string>()
    for (const file of files.filter((name) => !name.endsWith('.test.ts'))) {
      const area = file.split('/')[0]!
      for (const name of new Set(await namesOfFile(`${folder}${file}`))) {
        named.add(name)
        if (judge(area, name) === 'forbidden') forbidden.push(`${file} names ${name} of ${relations.get(name)!.area}`)
      }
    }
    assert.deepEqual(forbidden, [])
    // Whatever nobody names, the check may have overlooked.
    assert.deepEqual(
      [...relations.keys()].filter((name) => !named.has(name)),
      [],
    )
  })

  it('in every view', async () => {
    for (const { text } of await readMigrations()) {
      for (const [, view, definition] of text.matchAll(/^create view (\w+) as([^;]+);/gm)) {
        const { area } = relations.get(view!)!
        assert.ok(view!.startsWith(`${area}_`), `${view} should begin with ${area}_`)
        for (const name of namesIn(definition!)) assert.equal(judge(area, name), 'ok', `${view} names ${name}`)
      }
    }
  })

  const cases: [sql: string, names: string[]][] = [
    ['select u.name from users u', ['users']],
    ['select 1 from users u, customers c', ['users', 'customers']],
    ['insert into grants (id) values ($1)', ['grants']],
    ['update grants g set x = 1 from applications a', ['grants', 'applications']],
    ['delete from grants using approvals', ['grants', 'approvals']],
    ['select count(*) from only history', ['history']],
    ['lock table signing_keys in share mode', ['signing_keys']],
    ["select from pg_class where oid = 'history'::regclass", ['pg_class', 'history']],
  ]
  for (const [sql, names] of cases) it(`finds the tables in "${sql}"`, () => assert.deepEqual(namesIn(sql), names))
})
