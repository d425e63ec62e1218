import type { Command } from './generated.ts'

export type { Command, DeclaredCommand, DeclaredParameter as CommandParameter } from './generated.ts'

export type CommandState = Command['state']

/** What nobody has reported the end of yet; `unknown` may still change, but nothing waits for it. */
export const waitingStates: readonly CommandState[] = ['queued', 'sent', 'in_progress']

export function isWaiting({ state }: Pick<Command, 'state'>): boolean {
  return waitingStates.includes(state)
}
