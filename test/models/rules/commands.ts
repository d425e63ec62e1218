// The commands of one device as plain data: what docs and decisions 7.82 to 7.86 say, without a database.

export type State =
  | 'queued'
  | 'sent'
  | 'in_progress'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'unknown'
  | 'canceled'

export interface ModelCommand {
  id: string
  state: State
  attempts: number
  timeout: number
  /** In seconds of the model's own clock. */
  expiresAt: number
  /** When the state changes by itself. */
  dueAt: number | null
  message: string | null
  /** Handed out by the poll over the fleet, and not acknowledged since. */
  fleetAt: number | null
}

export interface Queue {
  now: number
  commands: ModelCommand[]
  removed: boolean
}

export const finals: State[] = ['done', 'failed', 'rejected', 'expired', 'canceled']
const waiting: State[] = ['queued', 'sent', 'in_progress']

export const waitingOf = ({ commands }: Queue) => commands.filter(({ state }) => waiting.includes(state))
export const headOf = (queue: Queue) => waitingOf(queue)[0]

function end(command: ModelCommand, state: State): void {
  command.state = state
  command.dueAt = null
}

/** What time has done by now. */
export function settle(queue: Queue): void {
  for (const command of waitingOf(queue)) {
    if (command.dueAt! > queue.now) continue
    if (command.state !== 'in_progress' && command.expiresAt <= queue.now) end(command, 'expired')
    else if (command.state === 'in_progress' || command.attempts >= 5) end(command, 'unknown')
    else {
      command.state = 'queued'
      command.dueAt = command.expiresAt
    }
  }
}

export type Way = 'poll' | 'subscribe' | 'notice' | 'fleet'

/** The command that the device gets, if any. */
export function take(queue: Queue, way: Way): ModelCommand | undefined {
  if (queue.removed || waitingOf(queue).length === 0) return undefined
  settle(queue)
  const again = way === 'poll' || way === 'subscribe'
  const tired = headOf(queue)
  if (again && tired?.state === 'sent' && tired.attempts >= 5) end(tired, 'unknown')
  const head = headOf(queue)
  if (!head || head.expiresAt <= queue.now) return undefined
  const overdue = head.state === 'sent' && head.fleetAt !== null && head.fleetAt <= queue.now - 60 && head.attempts < 5
  if (!again && head.state !== 'queued' && !(way === 'fleet' && overdue)) return undefined
  head.attempts += 1
  head.fleetAt = way === 'fleet' ? queue.now : null
  if (head.state !== 'in_progress') {
    head.state = 'sent'
    head.dueAt = Math.min(head.expiresAt, queue.now + head.timeout)
  }
  return head
}

export type Status = 'in_progress' | 'done' | 'failed' | 'rejected'

/** The status of the response. */
export function report(queue: Queue, command: ModelCommand, status: Status, message: string | null): 200 | 409 {
  settle(queue)
  if (finals.includes(command.state)) return command.state === status && command.message === message ? 200 : 409
  command.message = message
  if (status !== 'in_progress') end(command, status)
  else if (command.state !== 'unknown') {
    command.state = 'in_progress'
    command.dueAt = queue.now + command.timeout
  }
  command.fleetAt = null
  return 200
}

export function cancel(queue: Queue, command: ModelCommand): string {
  settle(queue)
  if (command.state === 'queued') end(command, 'canceled')
  if (command.state === 'canceled') return '200'
  return finals.includes(command.state) ? '409 command_finished' : '409 command_under_way'
}

export function remove(queue: Queue): void {
  for (const command of waitingOf(queue)) end(command, 'canceled')
  queue.removed = true
}
