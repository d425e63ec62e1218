import { type CommandLine, commandLine, type Options, type ParsedLine, textOf, type Values } from './command-line.ts'

/** A command that works on the data folder or the database itself. What it needs is loaded when it runs. */
export interface LocalCommand extends CommandLine {
  run(line: ParsedLine): Promise<void>
}

const dataDir = { 'data-dir': { type: 'string' } } as const
const json = { json: { type: 'boolean' } } as const

function local(usage: string, summary: string, options: Options, run: LocalCommand['run']): LocalCommand {
  return { ...commandLine(usage, summary), options, run }
}

/** The options that stand for a variable win over it. */
function environmentWith(values: Values): NodeJS.ProcessEnv {
  const given = { PORT: textOf(values.port), LANDBRIDGE_DATA_DIR: textOf(values['data-dir']) }
  const options = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...process.env, ...Object.fromEntries(options) }
}

export const localCommands: LocalCommand[] = [
  local(
    'serve',
    'Start the service (all settings come from the environment, see docs/operate.md)',
    { port: { type: 'string' }, ...dataDir },
    async ({ values }) => {
      // The processes that a supervisor starts inherit the environment.
      Object.assign(process.env, environmentWith(values))
      await import('../main.ts')
    },
  ),
  local('migrate', 'Apply pending database migrations and exit', dataDir, async ({ values }) => {
    const { runMigrations } = await import('./migrate-command.ts')
    await runMigrations(environmentWith(values))
  }),
  local(
    'doctor',
    'Check settings, keys, clock, disk, addresses, certificates and database; change nothing',
    { ...json, ...dataDir },
    async ({ values }) => {
      const { doctor } = await import('./doctor.ts')
      const findings = await doctor(environmentWith(values))
      if (values.json) console.log(JSON.stringify(findings, null, 2))
      else for (const { level, about, message } of findings) console.log(`${level.padEnd(8)} ${about}: ${message}`)
      if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1
    },
  ),
  local(
    'accept-loss',
    'Let every process use the primary of DATABASE_URL although it lacks what was acknowledged',
    dataDir,
    async ({ values }) => {
      const { acceptLossOfPrimary } = await import('./accept-loss.ts')
      await acceptLossOfPrimary(environmentWith(values))
    },
  ),
  local(
    'backup <folder>',
    'Write all rows, as of one instant, and the keys into a new folder; the service may run',
    dataDir,
    async ({ values, positionals }) => {
      const { backup } = await import('./backup.ts')
      await backup(positionals[0]!, { dataDir: textOf(values['data-dir']) })
    },
  ),
  local(
    'restore <folder>',
    'Restore a backup into a new data folder or an empty database; --check only tries it',
    { check: { type: 'boolean' }, ...dataDir },
    async ({ values, positionals }) => {
      const { restore } = await import('./backup.ts')
      await restore(positionals[0]!, { dataDir: textOf(values['data-dir']), check: values.check === true })
    },
  ),
]
