import type { BaseContext } from '../../platform/context.ts'
import { commandChangedTopic } from '../live/topics.ts'

/** Callers that wait for a change of a command. They hold no connection to Postgres. */
export interface CommandWaits {
  /** Before the command is read, so that no change is missed. */
  open(commandId: string): Promise<CommandWait>
  /** Ends all waits: the process is about to stop. */
  end(): void
}

export interface CommandWait {
  /** Resolves with the next change, when notifications may have been missed, after so long, or when `signal` is aborted. */
  change(milliseconds: number, signal: AbortSignal): Promise<void>
  close(): void
}

interface Waiting {
  wake(): void
  changed: boolean
}

export function createCommandWaits({ notifications }: Pick<BaseContext, 'notifications'>): CommandWaits {
  const waiting = new Map<string, Set<Waiting>>()
  let subscription: Promise<unknown> | undefined
  let ended = false

  function wakeAll(): void {
    for (const ofCommand of waiting.values()) for (const one of ofCommand) notify(one)
  }

  function notify(one: Waiting): void {
    one.changed = true
    one.wake()
  }

  function subscribe(): Promise<unknown> {
    notifications.afterGap(wakeAll)
    return notifications.subscribe(commandChangedTopic, (id) => {
      for (const one of waiting.get(id) ?? []) notify(one)
    })
  }

  return {
    async open(commandId) {
      subscription ??= subscribe()
      await subscription
      await notifications.listening()
      const one: Waiting = { wake: () => {}, changed: ended }
      const ofCommand = waiting.get(commandId) ?? new Set()
      waiting.set(commandId, ofCommand.add(one))
      return {
        async change(milliseconds, signal) {
          if (one.changed || signal.aborted) return
          const { promise, resolve } = Promise.withResolvers<void>()
          one.wake = resolve
          const timer = setTimeout(resolve, milliseconds)
          signal.addEventListener('abort', () => resolve(), { once: true })
          await promise
          clearTimeout(timer)
        },
        close() {
          ofCommand.delete(one)
          if (ofCommand.size === 0 && waiting.get(commandId) === ofCommand) waiting.delete(commandId)
        },
      }
    },
    end() {
      ended = true
      wakeAll()
    },
  }
}
