// What is reported when something that the packages should bring is missing.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { constants, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const temporary = await mkdtemp(join(tmpdir(), 'landbridge-install-'))
after(() => rm(temporary, { recursive: true }))

/** The project as it is, through links, but without one package. */
async function projectWithout(hidden: string): Promise<string> {
  const folder = await mkdtemp(join(temporary, 'project-'))
  for (const name of ['portal', 'server']) await symlink(join(root, name), join(folder, name))
  await mkdir(join(folder, 'node_modules'))
  const [scope] = hidden.split('/')
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === hidden) continue
    if (name !== scope) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    else {
      await mkdir(join(folder, 'node_modules', name))
      for (const inner of await readdir(join(root, 'node_modules', name))) {
        const path = join('node_modules', name, inner)
        if (`${name}/${inner}` !== hidden) await symlink(join(root, path), join(folder, path))
      }
    }
  }
  return folder
}

function build(project: string, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {}) {
  // With resolved links a package would be looked for beside the real one, and found.
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main']
  const { CI: _, ...rest } = process.env
  return spawnSync(process.execPath, [...flags, join(project, 'portal', 'build.js'), ...args], {
    encoding: 'utf8',
    env: { ...rest, ...env },
  })
}

/** The packages of this machine that building the portal runs. */
async function nativePackages(): Promise<string[]> {
  const scoped = (await readdir(join(root, 'node_modules', '@rolldown'))).map((name) => `@rolldown/${name}`)
  const names = [...scoped, ...(await readdir(join(root, 'node_modules')))]
  return names.filter((name) => /^(@rolldown\/binding|lightningcss)-.*(linux|darwin|win32)/.test(name))
}

describe("the portal's build where its bundler is missing", async () => {
  for (const name of await nativePackages()) {
    it(`${name} is missing → one line that names it and says what to do; an install goes on, a build and CI fail`, async () => {
      const project = await projectWithout(name)
      const runs = [
        { code: 0, ...build(project, { args: ['--after-install'] }) },
        { code: 1, ...build(project, { args: ['--after-install'], env: { CI: '1' } }) },
        { code: 1, ...build(project) },
      ]
      for (const { code, status, stdout, stderr } of runs) {
        assert.equal(status, code, stderr)
        assert.equal(stdout, '')
        assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
        assert.ok(stderr.includes(`the package ${name}`), stderr)
        assert.match(stderr, /Run "npm ci --include=optional"/)
      }
    })
  }

  it('there is something to hide, on this machine', async () => {
    assert.equal((await nativePackages()).length, 2)
  })
})

describe('a Node.js that is too old', () => {
  const pretendVersion = (version: string) =>
    `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
  for (const [what, file] of Object.entries({
    'npm start': 'server/landbridge.js',
    'npm run build': 'portal/build.js',
    'npm test': 'server/require-node.js',
  })) {
    it(`${what} says which version is needed, which one this is and how to get it`, () => {
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--import', pretendVersion('20.19.0'), join(root, file)],
        {
          encoding: 'utf8',
        },
      )
      assert.equal(status, 1)
      assert.match(stderr, /^Landbridge needs Node\.js 24\.16 or newer; this is 20\.19\.0 \(.+\)\.\n.+\n$/)
      assert.match(stderr, /npm ci|https:\/\/nodejs\.org/)
    })
  }

  it('hands everything over to the one that npm ci installed: arguments, output and exit code', async (t) => {
    const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
    if (process.execPath !== packaged) return t.skip('this machine runs on a Node.js of its own')
    const old = join(temporary, 'old-node')
    await copyFile(packaged, old, constants.COPYFILE_FICLONE)
    const file = join(temporary, 'print.mjs')
    const checked = pathToFileURL(join(root, 'server', 'require-node.js')).href
    await writeFile(
      file,
      `import '${checked}'; console.log(process.execPath, process.argv.slice(2), process.env.PATH); process.exit(7)`,
    )
    const onlyThere = pretendVersion('20.19.0').replace(',', `,if(process.execPath==='${old}')`)
    const { status, stdout } = spawnSync(old, ['--import', onlyThere, file, 'serve', '--help'], { encoding: 'utf8' })
    assert.equal(status, 7)
    assert.ok(stdout.startsWith(`${packaged} [ 'serve', '--help' ] ${join(packaged, '..')}:`), stdout)
  })

  it('24.16 and later are not refused', () => {
    for (const version of ['24.16.0', '25.0.0', '26.1.0']) {
      const args = ['--import', pretendVersion(version), join(root, 'server/require-node.js')]
      assert.equal(spawnSync(process.execPath, args).status, 0, version)
    }
  })
})
