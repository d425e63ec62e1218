import { isDeepStrictEqual } from 'node:util'

export const commandStates = [
  'queued',
  'sent',
  'in_progress',
  'done',
  'failed',
  'rejected',
  'expired',
  'unknown',
  'canceled',
] as const

export type CommandState = (typeof commandStates)[number]

/** What a device reports about a command. */
export const reportStatuses = ['in_progress', 'done', 'failed', 'rejected'] as const

export interface Report {
  status: (typeof reportStatuses)[number]
  message?: string | null | undefined
  /** Any JSON. */
  result?: unknown
}

/** No report changes these any more. */
const finalStates: readonly CommandState[] = ['done', 'failed', 'rejected', 'expired', 'canceled']

export function isFinal(state: CommandState): boolean {
  return finalStates.includes(state)
}

interface Reported {
  state: CommandState
  message: string | null
  result: unknown
}

/**
 * `progress` restarts the timeout; `finish` is the first final report; `late` is progress of a command that others have
 * overtaken, so that only its message is kept; `repeat` changes nothing; `finished` is refused.
 */
export type ReportVerdict = 'progress' | 'finish' | 'late' | 'repeat' | 'finished'

export function judgeReport(command: Reported, report: Report): ReportVerdict {
  if (isFinal(command.state)) return isSame(command, report) ? 'repeat' : 'finished'
  if (report.status !== 'in_progress') return 'finish'
  return command.state === 'unknown' ? 'late' : 'progress'
}

function isSame({ state, message, result }: Reported, report: Report): boolean {
  return (
    state === report.status &&
    message === (report.message ?? null) &&
    isDeepStrictEqual(result ?? null, report.result ?? null)
  )
}

/** Only what the device does not have can be canceled. */
export function judgeCancel(state: CommandState): 'cancel' | 'repeat' | 'under_way' | 'finished' {
  if (state === 'queued') return 'cancel'
  if (state === 'canceled') return 'repeat'
  return isFinal(state) ? 'finished' : 'under_way'
}
