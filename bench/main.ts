// `npm run bench`: every benchmark, one after the other. Exits non-zero when any of them missed a bar.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

let missed = 0
for (const name of ['devices', 'mqtt', 'device-lists', 'authorization', 'organization']) {
  console.log(`\n${name}`)
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const flags = ['--disable-warning=ExperimentalWarning', file, ...process.argv.slice(2)]
  const [code] = await once(spawn(process.execPath, flags, { stdio: 'inherit' }), 'exit')
  if (code !== 0) missed += 1
}
process.exit(missed === 0 ? 0 : 1)
