import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>
export type Options = Record<string, ParseArgsOptionDescriptor>

/** How a command is written; what it does is in `operator-commands.ts` and `local-commands.ts`. */
export interface CommandLine {
  noun: string
  /** Null when the noun alone is the command. */
  verb: string | null
  summary: string
  positionals: string[]
  options: Options
  required: string[]
}

/** `usage` is the noun, the verb and the positional arguments, such as `partner change <partner-id>`. */
export function commandLine(usage: string, summary: string): CommandLine {
  const words = usage.split(' ').filter((word) => !word.startsWith('<'))
  const positionals = [...usage.matchAll(/<(.+?)>/g)].map((match) => match[1]!)
  return { noun: words[0]!, verb: words[1] ?? null, summary, positionals, options: {}, required: [] }
}

export interface ParsedLine {
  values: Values
  positionals: string[]
}

/** Everything that is not declared is refused: an option that is ignored does something else than what was asked for. */
export function parseLine(command: CommandLine, args: string[], help: string): ParsedLine {
  const { values, positionals } = parseArgs({ args, options: command.options, allowPositionals: true, strict: true })
  if (values.help) return { values, positionals }
  const missing = command.positionals.slice(positionals.length)
  if (missing.length > 0) throw new UsageError(`Missing <${missing[0]}>.\n\n${help}`)
  if (positionals.length > command.positionals.length) {
    throw new UsageError(`Unexpected argument "${positionals.at(-1)}".\n\n${help}`)
  }
  for (const option of command.required) {
    if (values[option] === undefined) throw new UsageError(`Missing --${option}.\n\n${help}`)
  }
  return { values, positionals }
}

export function textOf(value: Values[string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
