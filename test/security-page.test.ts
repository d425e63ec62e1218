// docs/security.md: every threat names a test that exists.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = new URL('..', import.meta.url)
const page = await readFile(new URL('docs/security.md', root), 'utf8')

interface Row {
  threat: string
  tests: { file: string; name: string }[]
  cell: string
}

/** The last cell of a row: `file`: “name”, several with a line break between them. */
const rows: Row[] = page
  .slice(page.indexOf('## Signing in'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (threat|CVE|what) \|/.test(line))
  .map((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
    const cell = cells.at(-1)!
    const tests = [...cell.matchAll(/`([^`]+\.test\.ts)`: “([^”]+)”/g)].map(([, file, name]) => ({
      file: file!,
      name: name!,
    }))
    return { threat: cells[0]!, tests, cell }
  })

describe('docs/security.md', () => {
  it('has every row of the list of CVEs, and enough threats', () => {
    const known = ['2026-1035', '2026-9802', '2026-3429', '2026-9087', '2025-46815', '2026-27946', '2026-55670']
    for (const cve of [...known, '2023-26481', '2026-25748', '2026-7571', '2025-48936']) {
      assert.ok(
        rows.some(({ threat }) => threat.includes(`CVE-${cve}`)),
        cve,
      )
    }
    assert.ok(rows.some(({ threat }) => /enumeration/i.test(threat)))
    assert.ok(rows.length > 35, `${rows.length} rows`)
  })

  for (const { threat, tests, cell } of rows) {
    it(`${threat}: its tests exist`, async () => {
      assert.ok(tests.length > 0 || cell.startsWith('not yet built'), `no test: ${cell}`)
      for (const { file, name } of tests) {
        const text = await readFile(fileURLToPath(new URL(file, root)), 'utf8')
        assert.ok(text.includes(name), `${file} has no test “${name}”`)
      }
    })
  }
})
