// A release is the commit that sets a new version, from 1.0.0 on, in package.json, with a section of its own in CHANGELOG.md.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Release {
  commit: string
  version: string
}

/** The newest release in the history of a folder's commit; null if it has none, or if its history does not reach back so far. */
export function newestRelease(folder: string): Release | null {
  for (const commit of lines(git(folder, 'log', '--format=%H', '--', 'package.json'))) {
    const version = versionAt(folder, commit)
    if (version !== null && version !== versionAt(folder, `${commit}^`) && isReleased(folder, commit, version))
      return { commit, version }
  }
  return null
}

/** What differs between the migrations of the release and those of the folder, committed or not. */
export function changedMigrations(folder: string, { commit }: Release): { added: string[]; edited: string[] } {
  const migrations = ['--', 'server/migrations']
  const untracked = lines(git(folder, 'ls-files', '--others', '--exclude-standard', ...migrations))
  const changed = (filter: string) =>
    lines(git(folder, 'diff', '--no-renames', '--name-only', `--diff-filter=${filter}`, commit, ...migrations))
  return { added: [...changed('A'), ...untracked], edited: changed('a') }
}

function isReleased(folder: string, commit: string, version: string): boolean {
  return (
    Number.parseInt(version, 10) >= 1 &&
    lines(git(folder, 'show', `${commit}:CHANGELOG.md`)).some((line) => line.startsWith(`## ${version}`))
  )
}

function versionAt(folder: string, commit: string): string | null {
  try {
    return JSON.parse(git(folder, 'show', `${commit}:package.json`)).version
  } catch {
    // The first commit has no parent, and a shallow clone ends somewhere.
    return null
  }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean)
}
