// Which files a file needs: those it imports, and those it names by a path relative to itself.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

interface Needs {
  /** Files of the repository. */
  imports: string[]
  /** Names of packages and of Node's own modules. */
  modules: string[]
  /** Files, and folders with a slash at the end, that are read or started; the repository itself is `/`. */
  paths: string[]
}

const importing =
  /\b(?:import|export)\s(?!\s*type\s)[^'"`;=]*?\bfrom\s*'([^']+)'|\bimport\s*'([^']+)'|\bimport\(\s*'([^']+)'/g
/** `new URL('…', import.meta.url)` and `join(import.meta.dirname, '…')`; a path that is made up as it runs counts as its folder. */
const naming = /new URL\(\s*(?:['`]([^'`$]*)(\$)?|\w+)[^()]*?import\.meta\.url|import\.meta\.dirname(?:,\s*'([^']*)')?/g

const known = new Map<string, Needs>()

export function needsOf(file: string): Needs {
  const before = known.get(file)
  if (before) return before
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(importing)].map((match) => (match[1] ?? match[2] ?? match[3])!)
  const needs: Needs = {
    imports: specifiers
      .filter(isRelative)
      .map((path) => posix.join(posix.dirname(file), path))
      .filter(isFile),
    modules: specifiers.filter((path) => !isRelative(path)),
    paths: [...text.matchAll(naming)].map(([, url = '', variable, beside]) => named(file, beside ?? url, variable)),
  }
  known.set(file, needs)
  return needs
}

/** The modules that a file imports, directly or through others of the repository that match; each with the file that does. */
export function importsThrough(file: string, others: RegExp): Map<string, string> {
  const modules = new Map<string, string>()
  for (const each of filesThrough(file, others))
    for (const name of needsOf(each).modules) if (!modules.has(name)) modules.set(name, each)
  return modules
}

/** A file, and those of the repository that match and that it imports, directly or through others that do. */
export function filesThrough(file: string, others: RegExp): Set<string> {
  const seen = new Set([file])
  for (const each of seen) for (const path of needsOf(each).imports) if (others.test(path)) seen.add(path)
  return seen
}

/** Every file and folder that a file needs, directly or through others. */
export function reachedBy(file: string): Set<string> {
  const seen = new Set([file])
  for (const each of seen) {
    if (!/\.[jt]sx?$/.test(each) || !isFile(each)) continue
    const { imports, modules, paths } = needsOf(each)
    for (const path of [...imports, ...paths]) seen.add(path)
    // The partner kit, as an example or a partner imports it.
    if (modules.some((name) => name.startsWith('@landbridge/client'))) seen.add('client/')
  }
  return seen
}

function named(file: string, path: string, variable: string | undefined): string {
  const full = join(root, dirname(file), variable ? path.slice(0, path.lastIndexOf('/') + 1) : path)
  const inside = relative(root, full).replaceAll('\\', '/').replace(/\/$/, '')
  const isFolder = statSync(full, { throwIfNoEntry: false })?.isDirectory()
  return isFolder || inside === '' ? `${inside}/` : inside
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.')
}

const files = new Map<string, boolean>()

/** Asked of the same few hundred for every test. */
function isFile(path: string): boolean {
  const before = files.get(path)
  if (before !== undefined) return before
  const exists = existsSync(join(root, path))
  files.set(path, exists)
  return exists
}
