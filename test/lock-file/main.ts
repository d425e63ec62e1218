// `npm run check:lock` reports what is wrong with package-lock.json; with `-- --fix` it corrects what needs no decision.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { Lock } from './lock.ts'
import { faultsOf } from './rules.ts'

const { values, positionals } = parseArgs({ options: { fix: { type: 'boolean' } }, allowPositionals: true })
const file = positionals[0] ?? fileURLToPath(new URL('../../package-lock.json', import.meta.url))
const lock: Lock = JSON.parse(await readFile(file, 'utf8'))
let faults = faultsOf(lock, integrityInRegistry)

if (values.fix && faults.length > 0) {
  // A package that was added may itself lack its digest: so once more after the first fixes.
  for (let round = 0; round < 2; round++) {
    for (const { fix } of faults) {
      await fix?.(lock)?.catch((error: Error) => console.error(error.message))
    }
    faults = faultsOf(lock, integrityInRegistry)
  }
  const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
}
if (faults.length > 0) {
  console.error(`package-lock.json:\n  ${faults.map(({ sentence }) => sentence).join('\n  ')}`)
  if (!values.fix) console.error('Fix it with: npm run check:lock -- --fix')
  process.exit(1)
}

async function integrityInRegistry(name: string, version: string): Promise<string | null> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const asked = promisify(execFile)(npm, ['view', `${name}@${version}`, 'dist.integrity'])
  return await asked.then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  )
}
