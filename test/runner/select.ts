// The test files of a run.
import { glob } from 'node:fs/promises'
import { affectedBy } from './affected.ts'
import { changedFiles } from './changed.ts'
import { root } from './imports.ts'
import { kindOf } from './kinds.ts'

// `test/system/` needs programs that npm does not bring: `.ci/run` installs them and names it.
const everything = [
  'server/src/**/*.test.ts',
  'client/src/**/*.test.ts',
  'test/*.test.ts',
  'test/!(system)/**/*.test.ts',
]

export interface Selection {
  patterns: string[]
  /** Only those that a change since main can affect. */
  changed: boolean
  /** Only those that need neither a process of their own nor a browser. */
  fast: boolean
}

export async function selectFiles({ patterns, changed, fast }: Selection): Promise<string[]> {
  const all = await matchingAny(everything)
  const asked = patterns.length > 0 ? await matchingAny(patterns) : all
  const files = fast ? asked.filter((file) => kindOf(file) === 'shared') : asked
  if (files.length === 0) throw new Error(`${asked.join(', ')}: not among the fast tests.`)
  return changed ? onlyAffected(files, all) : files
}

function onlyAffected(files: string[], all: string[]): string[] {
  const changes = changedFiles()
  const affected = affectedBy(changes, [...new Set([...all, ...files])])
  const kept = files.filter((file) => affected.files.includes(file))
  const why = affected.because ? `, because of ${affected.because}` : ''
  console.log(`${changes.length} changed files can affect ${kept.length} of ${files.length} test files${why}.`)
  return kept
}

async function matchingAny(patterns: string[]): Promise<string[]> {
  return [...new Set((await Promise.all(patterns.map(matching))).flat())]
}

async function matching(pattern: string): Promise<string[]> {
  const files = await Array.fromAsync(glob(pattern, { cwd: root }))
  if (files.length > 0) return files
  const others = await Array.fromAsync(glob(pattern.replace(/\.test\.ts$/, '.*.test.ts'), { cwd: root }))
  throw new Error(`No test file matches ${pattern}.${others.map((file) => ` There is ${file}.`).join('')}`)
}
