import type { Command } from './commands.ts'

export function overview(commands: readonly Command[]): string {
  const rows: [string, string][] = [
    ['serve', 'Start the service (settings come from the environment, see docs/operate.md)'],
    ['migrate', 'Apply pending database migrations and exit'],
    ['doctor', 'Check settings, keys, clock, disk, addresses, certificates and database; change nothing'],
    ['backup <folder>', 'Write all rows, as of one instant, and the keys into a new folder; the service may run'],
    ['restore <folder> [--check]', 'Restore a backup into a new data folder or an empty database; or only try it'],
    ['simulate [--devices 5000]', 'Let believable devices register and send; simulate --help has the options'],
    ...commands.map((command): [string, string] => [usageOf(command), command.summary]),
  ]
  return [
    'Usage: landbridge <command> [options]',
    '',
    ...rows.map(([usage, summary]) => `  ${usage.padEnd(42)} ${summary}`),
    '',
    ...sharedOptions,
  ].join('\n')
}

export function helpOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, { type, multiple }]) => {
    const value = type === 'string' ? ` <${name}>` : ''
    const note = command.required.includes(name) ? 'required' : 'optional'
    return `  --${name}${value}`.padEnd(44) + note + (multiple ? ', can be repeated' : '')
  })
  if (command.table) options.push(`${'  --limit <n>, --after <next>'.padEnd(44)}page through the list`)
  return [
    `Usage: landbridge ${usageOf(command)} [options]`,
    '',
    command.summary,
    '',
    ...options,
    '',
    ...sharedOptions,
  ].join('\n')
}

function usageOf({ noun, verb, positionals }: Command): string {
  return [noun, ...(verb === null ? [] : [verb]), ...positionals.map((word) => `<${word}>`)].join(' ')
}

const sharedOptions = [
  'Options of every command:',
  '  --json             print the response as JSON',
  '  --url <address>    address of the service (default: LANDBRIDGE_PUBLIC_URL, or the service of the data folder)',
  '  --key <key>        operator key (default: LANDBRIDGE_OPERATOR_KEY, or the key in the data folder)',
  '  --data-dir <path>  data folder (default: LANDBRIDGE_DATA_DIR, or ./data)',
  '  --help             show this help, or the options of a command',
  '',
  'Exit codes: 0 success, 1 refused or failed, 2 wrong command line.',
]
