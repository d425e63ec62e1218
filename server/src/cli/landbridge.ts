// `npx landbridge …`: the operator's command line. Everything about partners, applications and customers goes through the operator API.
import { fixableProblem } from '../platform/process/start-failure.ts'
import { version } from '../platform/version.ts'
import { type CommandLine, parseLine, textOf, type Values } from './command-line.ts'
import { helpOf, overview } from './help.ts'
import { type LocalCommand, localCommands } from './local-commands.ts'
import { CallFailed, callOperator, findAccess } from './operator-client.ts'
import { type OperatorCommand, operatorCommands, type Table } from './operator-commands.ts'
import { printPage, printRecord } from './print.ts'
import { UsageError } from './usage-error.ts'

const help = { help: { type: 'boolean', short: 'h' } } as const
const access = {
  json: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
  'data-dir': { type: 'string' },
} as const
const paging = { limit: { type: 'string' }, after: { type: 'string' } } as const
const commands = [...localCommands, ...operatorCommands]

const args = process.argv.slice(2)
try {
  await main(args)
} catch (error) {
  // A program that asked for JSON can read why it failed, too.
  console.error(args.includes('--json') ? JSON.stringify(failureOf(error), null, 2) : sentenceOf(error))
  process.exit(isUsageError(error) ? 2 : 1)
}

async function main([noun, verb, ...rest]: string[]): Promise<void> {
  if (noun === undefined) throw new UsageError(overview(commands))
  if (['help', '--help', '-h'].includes(noun)) return console.log(overview(commands))
  if (['version', '--version', '-v'].includes(noun)) return console.log(version)
  if (noun === 'simulate') return await runSimulate(args.slice(1))
  const ofNoun = commands.filter((command) => command.noun === noun)
  if (ofNoun.length === 0) throw new UsageError(`Unknown command "${noun}".\n\n${overview(commands)}`)
  const command = ofNoun.find((candidate) => candidate.verb === verb) ?? ofNoun.find(({ verb }) => verb === null)
  if (!command) {
    if (verb === '--help' || verb === '-h') return console.log(overview(ofNoun))
    const problem = verb === undefined ? `"${noun}" needs a command.` : `Unknown command "${noun} ${verb}".`
    throw new UsageError(`${problem}\n\n${overview(ofNoun)}`)
  }
  await runCommand(command, command.verb === null ? args.slice(1) : rest)
}

async function runSimulate(args: string[]): Promise<void> {
  const { readOptions, simulateHelp } = await import('./simulate/options.ts')
  const options = readOptions(args)
  if (options === null) return console.log(simulateHelp)
  const { simulate } = await import('./simulate/simulate.ts')
  await simulate(options)
}

async function runCommand(command: LocalCommand | OperatorCommand, args: string[]): Promise<void> {
  const more = 'run' in command ? {} : { ...access, ...(command.table && paging) }
  const whole = { ...command, options: { ...help, ...more, ...command.options } }
  const line = parseLine(whole, args, helpOf(command))
  if (line.values.help) return console.log(helpOf(command))
  if ('run' in command) await command.run(line)
  else await callApi(command, line.values, line.positionals)
}

async function callApi(command: OperatorCommand, values: Values, positionals: string[]): Promise<void> {
  const { url, key, 'data-dir': dataDir } = values
  const access = await findAccess({ url: textOf(url), key: textOf(key), dataDir: textOf(dataDir) })
  const { method, path, query, body, generated } = command.request(values, positionals)
  const search = new URLSearchParams(query)
  if (command.table) {
    search.set('limit', textOf(values.limit) ?? '50')
    if (values.after) search.set('after', textOf(values.after)!)
  }
  const response = await callOperator(access, method, search.size > 0 ? `${path}?${search}` : path, body)
  if (values.json) console.log(JSON.stringify({ ...(response as object), ...generated }, null, 2))
  else if (command.table) printPage(response as never, command.table.columns, emptyText(command.table, command, values))
  else printRecord({ ...(response as object), ...generated }, command.done)
}

/** A list that is empty because of its options is no reason to create something. */
function emptyText({ empty: { things, first } }: Table, { options }: CommandLine, values: Values): string {
  if (values.after !== undefined) return `No more ${things}.`
  const isNarrowed = Object.keys(options).some((option) => values[option] !== undefined)
  return isNarrowed ? `No ${things} match these options.` : `No ${things}. ${first}`
}

/** What the service said, or the sentence alone. */
function failureOf(error: unknown): object {
  return error instanceof CallFailed && error.response ? error.response : { error: sentenceOf(error) }
}

function sentenceOf(error: unknown): string {
  return fixableProblem(error) ?? (error instanceof Error ? error.message : String(error))
}

function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
