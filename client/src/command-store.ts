import type { CommandOutcome, Value } from './command-types.ts'

/** What is kept of a command, from before it is executed. */
export interface RememberedCommand {
  id: string
  name: string
  /** Absent while it is executed, and after a crash in the middle of it. */
  outcome?: CommandOutcome
  /** The service has the outcome, or wants none. */
  isSettled: boolean
  /** Kept for a `resume` only, until there is an outcome: they may be secret. */
  parameters?: Record<string, Value>
  /** How often it was resumed. */
  resumed: number
}

export interface UnsettledCommand {
  deviceId: string
  command: RememberedCommand
}

/** Where it is remembered which commands were executed, so that none is executed twice. One process uses it at a time. */
export interface CommandStore {
  /** The last 64 commands of a device, oldest first. */
  read(deviceId: string): Promise<RememberedCommand[]>
  /** Adds it, or replaces what is there by its id. Resolves once it would survive the end of this process, as far as this store promises that. */
  write(deviceId: string, command: RememberedCommand): Promise<void>
  /** Those whose outcome the service does not have, of all devices; oldest first. */
  unsettled(): Promise<UnsettledCommand[]>
  close(): Promise<void>
}

/** Commands that are remembered of a device. Of those that the service still waits for none is forgotten. */
const remembered = 64

/** The list with the command in it, and without those that are too many. */
export function withCommand(commands: readonly RememberedCommand[], command: RememberedCommand): RememberedCommand[] {
  const index = commands.findIndex(({ id }) => id === command.id)
  const next = index === -1 ? [...commands, command] : commands.map((each, at) => (at === index ? command : each))
  for (let at = 0; next.length > remembered && at < next.length; ) {
    if (next[at]!.isSettled) next.splice(at, 1)
    else at += 1
  }
  return next
}

/** For tests, and for commands that do no harm when they are executed twice: it forgets everything when the process ends. */
export function memoryCommandStore(): CommandStore {
  const byDevice = new Map<string, RememberedCommand[]>()
  return {
    async read(deviceId) {
      return byDevice.get(deviceId) ?? []
    },
    async write(deviceId, command) {
      byDevice.set(deviceId, withCommand(byDevice.get(deviceId) ?? [], command))
    },
    async unsettled() {
      return unsettledIn(byDevice)
    },
    async close() {},
  }
}

export function unsettledIn(byDevice: ReadonlyMap<string, RememberedCommand[]>): UnsettledCommand[] {
  const found: UnsettledCommand[] = []
  for (const [deviceId, commands] of byDevice)
    for (const command of commands) if (!command.isSettled) found.push({ deviceId, command })
  return found
}
