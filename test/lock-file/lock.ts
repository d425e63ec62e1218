// package-lock.json as npm 10 to 12 read it: which entries a machine installs, and where a package finds another.

export interface Entry {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  dev?: boolean
  optional?: boolean
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
  engines?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface Lock {
  packages: Record<string, Entry>
}

export interface Platform {
  os: string
  cpu: string
  libc: string
}

/** What the README promises: on these machines `npm ci` must find every package, with its digest. */
export const promised: Platform[] = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
]

/** npm's own rule: an entry that names no system is for every system, and `!linux` means every other. */
export function isFor(entry: Entry, platform: Platform): boolean {
  return (['os', 'cpu', 'libc'] as const).every((part) => {
    const names = [entry[part] ?? []].flat()
    if (names.length === 0 || names.includes('any')) return true
    if (names.includes(`!${platform[part]}`)) return false
    return names.includes(platform[part]) || names.every((name) => name.startsWith('!'))
  })
}

/** Node's own rule: the nearest node_modules on the way up. */
export function findEntry({ packages }: Lock, from: string, name: string): Entry | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const entry = packages[`${folder && `${folder}/`}node_modules/${name}`]
    if (entry || folder === '') return entry
  }
}

/** `node_modules/a/node_modules/@b/c` is `@b/c`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** What a package's name says about the machines it is for, in the way all these families name theirs. */
export function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const parts = name.split(/[/-]/)
  const pick = (known: string) => parts.filter((part) => known.split(' ').includes(part))
  const os = pick('aix android darwin freebsd linux netbsd openbsd openharmony sunos win32')
  const cpu = pick('arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64')
  const libc = parts.includes('musl') ? ['musl'] : parts.includes('gnu') ? ['glibc'] : []
  return Object.fromEntries(Object.entries({ os, cpu, libc }).filter(([, values]) => values.length > 0))
}
