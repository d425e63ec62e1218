import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { removeFolder } from '../support/remove-folder.ts'
import { changedMigrations, newestRelease, root } from './release.ts'

describe('the release before', () => {
  let folder: string
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      encoding: 'utf8',
    }).trim()

  async function commit(version: string, sections: string[], migration = 'one.sql', text = 'create table one;') {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ version }))
    await writeFile(join(folder, 'CHANGELOG.md'), sections.map((name) => `## ${name}\n`).join('\n'))
    await writeFile(join(folder, 'server', 'migrations', migration), text)
    git('add', '-A')
    git('commit', '-q', '--allow-empty', '-m', version)
    return git('rev-parse', 'HEAD')
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landbridge-history-'))
    await mkdir(join(folder, 'server', 'migrations'), { recursive: true })
    git('init', '-q')
  })

  afterEach(() => removeFolder(folder))

  it('is the newest commit that set a version with a section in the changelog', async () => {
    await commit('1.0.0', ['1.0.0'])
    const release = await commit('1.1.0', ['1.1.0', '1.0.0'])
    await commit('1.1.0', ['1.1.0', '1.0.0'], 'two.sql')
    assert.deepEqual(newestRelease(folder), { commit: release, version: '1.1.0' })
  })

  it('is none below 1.0.0, and a version without its section is none', async () => {
    await commit('0.1.0', ['0.1.0'])
    assert.equal(newestRelease(folder), null)
    const release = await commit('1.0.0', ['1.0.0'])
    await commit('1.0.1', ['1.0.0'])
    assert.equal(newestRelease(folder)?.commit, release)
  })

  it('is compared with the files as they are: what was added, and what must not have been edited', async () => {
    await commit('1.0.0', ['1.0.0'])
    const release = newestRelease(folder)!
    assert.deepEqual(changedMigrations(folder, release), { added: [], edited: [] })
    await commit('1.0.0', ['1.0.0'], 'two.sql')
    await writeFile(join(folder, 'server/migrations/three.sql'), 'create table three;')
    await writeFile(join(folder, 'server/migrations/one.sql'), 'create table uno;')
    assert.deepEqual(changedMigrations(folder, release), {
      added: ['server/migrations/two.sql', 'server/migrations/three.sql'],
      edited: ['server/migrations/one.sql'],
    })
  })
})

it('decision 3.9: no migration of a release is edited', (test) => {
  const release = isClone() ? newestRelease(root) : null
  if (release) assert.deepEqual(changedMigrations(root, release).edited, [])
  else test.skip('this folder has no release in its history')
})

function isClone(): boolean {
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--show-toplevel'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
}
