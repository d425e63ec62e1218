import { spawnSync } from 'node:child_process'
import { root } from './imports.ts'

/** Since the branch left main, committed or not. */
export function changedFiles(): string[] {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    return status === 0 ? stdout.split('\n').filter(Boolean) : []
  }
  const [base] = ['origin/main', 'main'].flatMap((main) => git('merge-base', 'HEAD', main))
  if (!base) throw new Error('--changed compares with the branch main, which is not here.')
  return [...git('diff', '--name-only', '--no-renames', base), ...git('ls-files', '--others', '--exclude-standard')]
}
