// Whole checkouts beside this one: the release before, and one that is ahead of it by a column.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Release, root } from './release.ts'

/** The files of the release, with its own packages. */
export async function checkOut({ commit }: Release, tree: string): Promise<string> {
  await mkdir(tree)
  // An archive and no worktree, which would stay in .git if this process is killed.
  const archive = execFileSync('git', ['-C', root, 'archive', commit], { maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', tree], { input: archive })
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['ci', ...quietly], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
  return tree
}

/** This tree, where no migration has changed since the release: it gets one, so that there is an upgrade to see. */
export async function addColumn(tree: string): Promise<string> {
  await mkdir(tree)
  const left = new Set(['node_modules', '.git', 'data', 'data-dev'])
  await cp(root, tree, { recursive: true, filter: (path) => !left.has(basename(path)) })
  for (const folder of ['node_modules', 'portal/node_modules'])
    await symlink(join(root, folder), join(tree, folder)).catch(() => {})
  const column = '-- Added by the test of an upgrade.\nalter table devices add column upgraded_at timestamptz;\n'
  await writeFile(join(tree, 'server/migrations/9999_devices_upgraded.sql'), column)
  for (const name of ['package.json', 'server/package.json']) {
    const file = join(tree, name)
    const { version, ...rest } = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...rest, version: nextPatch(version) }, null, 2))
  }
  return tree
}

function nextPatch(version: string): string {
  return version.replace(/\d+$/, (patch) => String(Number(patch) + 1))
}
