import type { CommandState } from './command-states.ts'

const words: Record<CommandState, string> = {
  queued: 'is queued',
  sent: 'was sent to the device',
  in_progress: 'is in progress',
  done: 'is done',
  failed: 'has failed',
  rejected: 'was rejected by the device',
  expired: 'has expired',
  unknown: 'has an unknown outcome',
  canceled: 'was canceled',
}

/** Why a report or a cancellation came too late. */
export function finishedSentence(state: CommandState): string {
  return `The command ${words[state]}: its state "${state}" is final.`
}
