import type { CommandLine } from './command-line.ts'

export function overview(commands: readonly CommandLine[]): string {
  const rows = commands.map((command): [string, string] => [usageOf(command), command.summary])
  // It has options of its own kind, and its own help.
  if (commands.some(({ noun }) => noun === 'serve')) {
    rows.push(['simulate', 'Let believable devices register and send; simulate --help has the options'])
  }
  return [
    'Usage: landbridge <command> [options]',
    '',
    ...rows.map(([usage, summary]) => `  ${usage.padEnd(42)} ${summary}`),
    '',
    '  --version          print the version',
    '',
    ...sharedOptions,
  ].join('\n')
}

export function helpOf(command: CommandLine): string {
  const options = Object.entries(command.options).map(([name, { type, multiple }]) => {
    const value = type === 'string' ? ` <${name}>` : ''
    const note = command.required.includes(name) ? 'required' : 'optional'
    return `  --${name}${value}`.padEnd(44) + note + (multiple ? ', can be repeated' : '')
  })
  if ('table' in command) options.push(`${'  --limit <n>, --after <next>'.padEnd(44)}page through the list`)
  return [
    `Usage: landbridge ${usageOf(command)} [options]`,
    '',
    command.summary,
    '',
    ...options,
    ...('request' in command ? ['', ...sharedOptions] : []),
  ].join('\n')
}

function usageOf({ noun, verb, positionals }: CommandLine): string {
  return [noun, ...(verb === null ? [] : [verb]), ...positionals.map((word) => `<${word}>`)].join(' ')
}

const sharedOptions = [
  'Options of the commands that call the service:',
  '  --json             print the response, or why it failed, as JSON',
  '  --url <address>    address of the service (default: LANDBRIDGE_PUBLIC_URL, or the service of the data folder)',
  '  --key <key>        operator key (default: LANDBRIDGE_OPERATOR_KEY, or the key in the data folder)',
  '  --data-dir <path>  data folder (default: LANDBRIDGE_DATA_DIR, or ./data)',
  '  --help             show this help, or the options of a command',
  '',
  'Exit codes: 0 success, 1 refused or failed, 2 wrong command line.',
]
