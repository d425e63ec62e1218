// docs/architecture.md says which file to open for each part of the contract: nothing missing, no file that is gone.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = await readFile(`${root}/docs/architecture.md`, 'utf8')
const contract = await readFile(`${root}/docs/contract.md`, 'utf8')

interface Row {
  line: number
  section: string
  parts: string[]
  open: string
}

const rows: Row[] = page.split('\n').flatMap((text, index) => {
  const [, section, part, open] = /^\| ([2-8](?:\.\d+)?) \| (.+) \| (.+) \|$/.exec(text) ?? []
  return section ? [{ line: index + 1, section, parts: part!.split(' · '), open: open! }] : []
})

/** Parts of a section: the rows of its table, or the section itself where it has none. */
const sections = new Map<string, string[]>()
for (const text of contract.split(/^(?=#{2,3} \d)/m)) {
  const [, number = '', title = ''] = /^#{2,3} (\d+(?:\.\d+)?) (.+)/.exec(text) ?? []
  if (!/^[2-8]/.test(number) || /^## [247] /.test(text)) continue
  // The table of an endpoint lists its parameters, which belong to the endpoint's own file.
  const table = number.startsWith('4') ? [] : text.split('\n').filter((line) => /^\| (?!-)/.test(line))
  const names = table.slice(1).map((line) =>
    nameOf(
      number,
      line.split(' | ').map((cell) => cell.replace(/^\| /, '')),
    ),
  )
  sections.set(number, names.length > 0 ? [...new Set(names)] : [title])
}

/** What a row is about: an event of a thing in section 3, an error where the first column is a status. */
function nameOf(section: string, cells: string[]): string {
  if (section === '3') return `${cells[0]}: ${cells[2]}`
  return /^7\.[1345]$/.test(section) ? cells[1]! : cells[0]!
}

describe('docs/architecture.md leads a newcomer to the code', () => {
  it('the contract has its sections', () => {
    assert.equal(sections.size, 6 + 8 + 8 + 4, [...sections.keys()].join(' '))
    assert.ok(rows.length >= sections.size)
  })

  for (const [number, parts] of sections) {
    it(`contract ${number}: every part has one file`, () => {
      const named = rows.filter(({ section }) => section === number).flatMap((row) => row.parts)
      assert.ok(named.length > 0, `no row for contract ${number} in the table "Where to find what"`)
      if (named.length === 1 && named[0]!.startsWith('every ')) return
      for (const part of parts) {
        assert.ok(named.includes(part), `contract ${number}, "${part}": no row in the table "Where to find what"`)
      }
      for (const part of named) assert.ok(parts.includes(part), `"${part}" is no part of contract ${number}: ${parts}`)
      assert.equal(new Set(named).size, named.length, `a part of contract ${number} has two rows`)
    })
  }

  it('every row names one file', () => {
    for (const { line, open } of rows) {
      assert.match(open, /^`(?:server|client|portal)\/src\/[\w/.-]+\.tsx?`$/, `docs/architecture.md:${line}`)
    }
  })

  it('every file and folder that the page names exists', () => {
    const named = page
      .split('\n')
      .flatMap((text, index) =>
        [...text.matchAll(/`((?:\.?[\w-]+\/)*[\w.-]+\.(?:tsx?|js|md|sql|sh)|(?:[\w-]+\/)+)`|\]\(([\w./-]+)/g)].map(
          ([, code, link]) => ({ line: index + 1, path: code ?? `docs/${link}` }),
        ),
      )
    assert.ok(named.length > 60, `${named.length} paths found`)
    const bases = ['', 'server/src/', 'server/src/authorization/', 'portal/src/']
    for (const { line, path } of named) {
      const found = bases.some((base) => existsSync(`${root}/${base}${path}`))
      assert.ok(found, `docs/architecture.md:${line} names ${path}, which is gone: write the file that took over`)
    }
  })

  it('no two files of the service share a name, so that an editor finds each by it', async () => {
    const entries = await readdir(`${root}/server/src`, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && !['index.ts', 'context.ts'].includes(entry.name))
    assert.ok(files.length > 500, `${files.length} files found`)
    const byName = Map.groupBy(files, ({ name }) => name)
    const shared = [...byName.values()].filter(({ length }) => length > 1)
    const paths = shared.map((same) => same.map(({ parentPath, name }) => `${parentPath}/${name}`).join(' and '))
    assert.deepEqual(paths, [], 'name one for its layer (-routes, -sql) or for what it holds')
  })
})
