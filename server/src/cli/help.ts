import type { Command } from './commands.ts'

export function overview(commands: readonly Command[]): string {
  const rows: [string, string][] = [
    ['serve', 'Start the service (its settings come from the environment: docs/operate.md)'],
    ['migrate', 'Apply the missing migrations to the database and stop'],
    ['doctor', 'Check settings, keys, clock, disk, addresses, certificates and database; change nothing'],
    ['backup <folder>', 'Write all rows, as of one instant, and the keys into a new folder; the service may run'],
    ['restore <folder> [--check]', 'Restore a backup into a new data folder or an empty database; or only try it'],
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
    const word = type === 'string' ? ` <${name}>` : ''
    const note = command.required.includes(name) ? 'required' : 'optional'
    return `  --${name}${word}`.padEnd(44) + note + (multiple ? ', may be given several times' : '')
  })
  if (command.columns) options.push(`${'  --limit <n>, --after <next>'.padEnd(44)}one page of the list`)
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
  'Everywhere:',
  '  --json             the answer as JSON, for programs',
  '  --url <address>    the service (LANDBRIDGE_PUBLIC_URL, or the one that runs on the data folder)',
  '  --key <key>        the operator key (LANDBRIDGE_OPERATOR_KEY, or the data folder’s)',
  '  --data-dir <path>  the data folder (LANDBRIDGE_DATA_DIR, or ./data)',
  '  --help             this, or one command’s options',
  '',
  'Exit codes: 0 done, 1 refused or failed, 2 wrong words on the command line.',
]
