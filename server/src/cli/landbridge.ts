// `npx landbridge …`: the operator's command line. Everything about partners, applications and customers goes through the operator API.
import { parseArgs } from 'node:util'
import { type Command, commands, type Table, type Values } from './commands.ts'
import { helpOf, overview } from './help.ts'
import { callOperator, findAccess } from './operator-client.ts'
import { printPage, printRecord } from './print.ts'
import { UsageError } from './usage-error.ts'

const shared = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
  'data-dir': { type: 'string' },
} as const
const paging = { limit: { type: 'string' }, after: { type: 'string' } } as const

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(error instanceof UsageError || isParseError(error) ? 2 : 1)
}

async function main(args: string[]): Promise<void> {
  const [noun = 'help', verb] = args
  if (['help', '--help', '-h'].includes(noun)) return console.log(overview(commands))
  if (noun === 'serve') {
    await import('../main.ts')
    return
  }
  if (noun === 'migrate') {
    // Loaded only here: the other commands only use HTTP and start faster without the database driver.
    const { runMigrations } = await import('./migrate.ts')
    return await runMigrations(process.env)
  }
  if (noun === 'backup' || noun === 'restore') return await runBackup(noun, args.slice(1))
  if (noun === 'doctor') return await runDoctor(args.slice(1))
  if (noun === 'simulate') return await runSimulate(args.slice(1))
  const ofNoun = commands.filter((command) => command.noun === noun)
  if (ofNoun.length === 0) throw new UsageError(`Unknown command "${noun}".\n\n${overview(commands)}`)
  const command = ofNoun.find((candidate) => candidate.verb === verb) ?? ofNoun.find(({ verb }) => verb === null)
  if (!command) {
    const wantsHelp = verb === undefined || verb === '--help' || verb === '-h'
    if (wantsHelp) return console.log(overview(ofNoun))
    throw new UsageError(`Unknown command "${noun} ${verb}".\n\n${overview(ofNoun)}`)
  }
  await runCommand(command, args.slice(command.verb === null ? 1 : 2))
}

async function runBackup(verb: 'backup' | 'restore', args: string[]): Promise<void> {
  const check = verb === 'restore' ? { check: { type: 'boolean' } as const } : {}
  const options = { help: shared.help, 'data-dir': shared['data-dir'], ...check }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
  if (values.help) return console.log(overview(commands))
  if (positionals.length !== 1) throw new UsageError(`Name one folder: landbridge ${verb} <folder>`)
  const run = await import('./backup.ts')
  await run[verb](positionals[0]!, { dataDir: text(values['data-dir']), check: values.check === true })
}

async function runDoctor(args: string[]): Promise<void> {
  const options = { help: shared.help, json: shared.json, 'data-dir': shared['data-dir'] }
  const { values } = parseArgs({ args, options, strict: true })
  if (values.help) return console.log(overview(commands))
  const { doctor } = await import('./doctor.ts')
  const dataDir = text(values['data-dir'])
  const findings = await doctor({ ...process.env, ...(dataDir ? { LANDBRIDGE_DATA_DIR: dataDir } : {}) })
  if (values.json) console.log(JSON.stringify(findings, null, 2))
  else for (const { level, about, message } of findings) console.log(`${level.padEnd(8)} ${about}: ${message}`)
  if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1
}

async function runSimulate(args: string[]): Promise<void> {
  const { readOptions, simulateHelp } = await import('./simulate/options.ts')
  const options = readOptions(args)
  if (options === null) return console.log(simulateHelp)
  const { simulate } = await import('./simulate/simulate.ts')
  await simulate(options)
}

async function runCommand(command: Command, args: string[]): Promise<void> {
  const options = { ...shared, ...command.options, ...(command.table ? paging : {}) }
  const parsed = parseArgs({ args, options, allowPositionals: true, strict: true })
  const { positionals } = parsed
  const values: Values = parsed.values
  if (values.help) return console.log(helpOf(command))
  const missing = command.positionals.slice(positionals.length)
  if (missing.length > 0) throw new UsageError(`Missing <${missing[0]}>.\n\n${helpOf(command)}`)
  if (positionals.length > command.positionals.length) {
    throw new UsageError(`Unexpected argument "${positionals.at(-1)}".\n\n${helpOf(command)}`)
  }
  for (const option of command.required) {
    if (values[option] === undefined) throw new UsageError(`Missing --${option}.\n\n${helpOf(command)}`)
  }

  const access = await findAccess({ url: text(values.url), key: text(values.key), dataDir: text(values['data-dir']) })
  const { method, path, query, body, generated } = command.request(values, positionals)
  const search = new URLSearchParams(query)
  if (command.table) {
    search.set('limit', text(values.limit) ?? '50')
    if (values.after) search.set('after', text(values.after)!)
  }
  const response = await callOperator(access, method, search.size > 0 ? `${path}?${search}` : path, body)
  if (values.json) console.log(JSON.stringify({ ...(response as object), ...generated }, null, 2))
  else if (command.table) printPage(response as never, command.table.columns, emptyText(command.table, command, values))
  else printRecord({ ...(response as object), ...generated }, command.done)
}

/** A list that is empty because of its options is no reason to create something. */
function emptyText({ empty: { things, first } }: Table, { options }: Command, values: Values): string {
  if (values.after !== undefined) return `No more ${things}.`
  const isNarrowed = Object.keys(options).some((option) => values[option] !== undefined)
  return isNarrowed ? `No ${things} match these options.` : `No ${things}. ${first}`
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
