// The programs of Debian that these tests run: installed when they are missing and this is root.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'

const packages = ['postgresql', 'patroni', 'etcd-server', 'pgbouncer']
const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/pgbouncer']

export function installPackages(): void {
  if (programs.every(existsSync) && findPostgres()) return
  if (process.getuid?.() !== 0) throw new Error(`Install these packages first: ${packages.join(' ')}`)
  // Otherwise the package would start a server on the standard port.
  const clusters = '/etc/postgresql-common/createcluster.conf'
  mkdirSync('/etc/postgresql-common', { recursive: true })
  if (!existsSync(clusters)) writeFileSync(clusters, 'create_main_cluster = false\n')
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-q', '-o', 'Acquire::Retries=5', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...packages)
}

export function postgresBinaries(): string {
  return findPostgres() ?? missing()
}

function findPostgres(): string | undefined {
  if (!existsSync('/usr/lib/postgresql')) return undefined
  const versions = readdirSync('/usr/lib/postgresql')
    .map(Number)
    .sort((a, b) => b - a)
  return versions.map((version) => `/usr/lib/postgresql/${version}/bin`).find((path) => existsSync(`${path}/postgres`))
}

function missing(): never {
  throw new Error('There is no Postgres in /usr/lib/postgresql.')
}
