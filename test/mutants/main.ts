// `npm run test:mutants -- [--jobs=n] [folder or file …]`: changes the pure files one small step at a time, and says which
// changes no test notices (decision 4.20). It fails when a folder has less than 90 % noticed.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, posix } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../runner/imports.ts'
import { selectFiles } from '../runner/select.ts'
import { Attempts, type Verdict } from './attempts.ts'
import { type Equivalent, equivalents } from './equivalent.ts'
import { pureFiles } from './files.ts'
import { changeOf, mutantsOf, mutated } from './mutations.ts'

const wanted = 0.9

interface Result {
  file: string
  line: number
  change: string
  verdict: Verdict | 'equivalent'
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { jobs: { type: 'string' } } })
const jobs = Number(values.jobs ?? availableParallelism())
const tests = await selectFiles({ patterns: [], changed: false, fast: true })
const files = [...pureFiles(tests)].filter(([file]) => isAsked(file))
if (files.length === 0) refuse(`No pure file is at ${positionals.join(', ')}.`)
const unused = new Set(equivalents.filter(({ file }) => isAsked(file)))
const began = performance.now()
const results: Result[] = []
for (const [file, itsTests] of files) results.push(...(await tryFile(file, itsTests)))
report()

function isAsked(file: string): boolean {
  return positionals.length === 0 || positionals.some((path) => `${file}/`.startsWith(`${path.replace(/\/$/, '')}/`))
}

function refuse(problem: string): never {
  console.error(problem)
  process.exit(1)
}

async function tryFile(file: string, itsTests: string[]): Promise<Result[]> {
  const source = readFileSync(join(root, file), 'utf8')
  const mutants = mutantsOf(source)
  if (mutants.length === 0) return []
  const first = new Attempts(file, itsTests)
  const began = performance.now()
  const unchanged = await first.try(source, 60_000)
  if (unchanged.verdict !== 'survived') refuse(`${itsTests.join(' ')} must pass first: ${unchanged.failure}`)
  await first.stop()
  const longestMilliseconds = Math.max(2000, 5 * (performance.now() - began))
  const found = new Array<Result>(mutants.length)
  const left = mutants.entries()
  const work = async () => {
    const attempts = new Attempts(file, itsTests)
    for (const [index, mutant] of left) {
      const line = source.slice(0, mutant.start).split('\n').length
      const change = changeOf(source, mutant)
      const known = equivalentOf(file, source.split('\n')[line - 1]!, change)
      const verdict = known ? 'equivalent' : (await attempts.try(mutated(source, mutant), longestMilliseconds)).verdict
      found[index] = { file, line, change, verdict }
    }
    await attempts.stop()
  }
  await Promise.all(Array.from({ length: jobs }, work))
  const survivors = found.filter(({ verdict }) => verdict === 'survived')
  console.log(`${file}: ${found.length} mutants, ${survivors.length} survived`)
  for (const { line, change } of survivors) console.log(`  ${file}:${line}  ${change}`)
  return found
}

function equivalentOf(file: string, line: string, change: string): Equivalent | undefined {
  const found = equivalents.find((each) => each.file === file && each.line === line.trim() && each.change === change)
  if (found) unused.delete(found)
  return found
}

function report(): void {
  const folders = Object.groupBy(results, ({ file }) => posix.dirname(file))
  const rows = Object.entries(folders).map(([folder, some]) => rowOf(folder, some!))
  console.table(Object.fromEntries([...rows, rowOf('all', results)]))
  console.log(`${files.length} files in ${Math.round((performance.now() - began) / 1000)} s`)
  for (const { file, line, change } of unused)
    console.log(`No longer there, so not equivalent: ${file}: ${line}: ${change}`)
  const low = rows.filter(([, { score }]) => score < 100 * wanted)
  if (low.length > 0) console.log(`Below ${100 * wanted} %: ${low.map(([folder]) => folder).join(', ')}`)
  process.exit(low.length > 0 || unused.size > 0 ? 1 : 0)
}

function rowOf(folder: string, some: Result[]) {
  const count = (verdict: Result['verdict']) => some.filter((result) => result.verdict === verdict).length
  const [killed, late, survived, equivalent] = [
    count('killed'),
    count('timed out'),
    count('survived'),
    count('equivalent'),
  ]
  const score = Math.floor((1000 * (killed + late)) / Math.max(1, killed + late + survived)) / 10
  return [folder, { mutants: some.length, killed, 'timed out': late, survived, equivalent, score }] as const
}
