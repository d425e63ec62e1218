import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removeFolder } from '../support/remove-folder.ts'
import { type Entry, type Lock, nameOf } from './lock.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Component {
  name: string
  version: string
  purl: string
  hashes?: unknown[]
  licenses?: unknown[]
  properties: { name: string }[]
}

describe('npm run sbom', () => {
  it('names every package with license and digest, and those for development alone, from the lock file alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'landbridge-sbom-'))
    after(() => removeFolder(folder))
    // Neither packages nor a registry.
    const workspaces = ['server', 'portal', 'client', 'bench', 'test'].map((name) => join(name, 'package.json'))
    for (const name of ['package.json', 'package-lock.json', '.npmrc', ...workspaces]) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await cp(join(root, name), join(folder, name))
    }
    await promisify(execFile)('npm', ['run', 'sbom', '--registry', 'http://127.0.0.1:1'], { cwd: folder })
    const document = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8'))
    assert.equal(document.bomFormat, 'CycloneDX')
    const components: Component[] = document.components
    const lock: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
    const isPackage = ([path, { link }]: [string, Entry]) => path.includes('node_modules/') && !link
    const locked = Object.entries(lock.packages).filter(isPackage)
    const ofOthers = components.filter(({ purl }) => !purl.includes('landbridge'))
    const expected = new Set(locked.map(([path, { version }]) => `${nameOf(path)}@${version}`))
    assert.deepEqual(ofOthers.map(({ name, version }) => `${name}@${version}`).toSorted(), [...expected].toSorted())
    // `check:lock --fix` adds the bundler's programs for other machines, whose licenses are not recorded.
    const isAdded = (name: string) => name.startsWith('@rolldown/binding-')
    const incomplete = ofOthers.filter(
      ({ name, hashes, licenses }) => !hashes?.length || !(licenses?.length || isAdded(name)),
    )
    assert.deepEqual(
      incomplete.map(({ name }) => name),
      [],
    )
    const onlyForDevelopment = (name: string) =>
      ofOthers
        .find((one) => one.name === name)!
        .properties.some((property) => property.name === 'cdx:npm:package:development')
    assert.deepEqual(['fastify', 'react', '@biomejs/biome'].map(onlyForDevelopment), [false, false, true])
  })
})
