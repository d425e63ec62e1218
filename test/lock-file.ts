// Sees that package-lock.json names every platform's packages and no download address; `--mend` adds what is missing.
// A registry that carries only some platforms leaves the others out without a word, and then `npm ci` refuses the file
// everywhere. An entry needs no more than its version and platform: npm skips those that are not for the machine.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

interface Entry {
  version?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock: { packages: Record<string, Entry> } = JSON.parse(await readFile(file, 'utf8'))
const faults: string[] = []

for (const [path, entry] of Object.entries(lock.packages)) {
  if (!entry.link && entry.resolved?.includes('://')) faults.push(`${path} records a download address`)
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(path, name)) continue
    faults.push(`${name}, optional for ${path}, is missing`)
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~=]/, ''),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...platformOf(name),
    }
  }
}

if (faults.length > 0 && process.argv.includes('--mend')) {
  const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
} else if (faults.length > 0) {
  console.error(`package-lock.json:\n  ${faults.join('\n  ')}\nMend it with: node test/lock-file.ts --mend`)
  process.exit(1)
}

/** Node's own rule: the nearest node_modules on the way up. */
function isThere(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    if (lock.packages[`${folder && `${folder}/`}node_modules/${name}`]) return true
    if (folder === '') return false
  }
}

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const pick = (known: string[]) => words.filter((word) => known.includes(word))
  const os = pick([
    'aix',
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
  ])
  const cpu = pick(['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'])
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : []
  return Object.fromEntries(Object.entries({ os, cpu, libc }).filter(([, values]) => values.length > 0))
}
