import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import { deleteInterests, listInterests, upsertInterests } from '../store/live.ts'
import { watchedTopic } from './topics.ts'

/** An interest expires if its process stops without deleting it. */
const expiresAfterMilliseconds = 60_000
const renewMilliseconds = 20_000

/** Which customers' devices are watched live, on whichever process. */
export interface LiveInterest {
  /** A stream of this process watches; the returned function ends its interest. */
  watch(customerId: string): Promise<() => void>
  /** Those of the customers that are watched on any process. */
  watched(customerIds: readonly string[]): string[]
  /** The processes on which a customer's devices are watched. */
  processesOf(customerId: string): string[]
  /** Resolves once the interests of other processes are known. */
  ready(): Promise<void>
}

export function createLiveInterest(context: BaseContext): LiveInterest {
  const { processId } = context
  const own = new Map<string, { watchers: number; published: Promise<void> }>()
  /** When the interest of each process ends, by customer. */
  const everywhere = new Map<string, Map<string, number>>()
  let subscribed: Promise<void> | undefined
  let renewal: NodeJS.Timeout | undefined

  const until = () => new Date(context.now().getTime() + expiresAfterMilliseconds)
  function learn(customerId: string, process: string, ends: Date): void {
    const processes = everywhere.get(customerId) ?? new Map<string, number>()
    everywhere.set(customerId, processes.set(process, ends.getTime()))
  }

  function processesOf(customerId: string, now = context.now().getTime()): string[] {
    const processes = everywhere.get(customerId)
    if (!processes) return []
    for (const [process, ends] of processes) if (ends <= now) processes.delete(process)
    if (processes.size === 0) everywhere.delete(customerId)
    return [...processes.keys()]
  }

  const warn = (error: unknown) => context.log.warn({ err: error }, 'live: interest not published')

  /** Subscribes before it reads: an interest that begins in between is in both. */
  async function subscribe(): Promise<void> {
    const { notifications } = context
    const unsubscribe = await notifications.subscribe(watchedTopic, (item) => {
      const [customerId = '', process = ''] = item.split(':')
      learn(customerId, process, until())
    })
    const stopReading = notifications.afterGap(() => void read().catch(warn))
    try {
      await read()
    } catch (error) {
      // The next call tries again: without it, this process would never publish a status.
      subscribed = undefined
      unsubscribe()
      stopReading()
      throw error
    }
  }

  async function read(): Promise<void> {
    for (const interest of await listInterests(context.sql, context.now())) {
      learn(interest.customer_id, interest.process_id, interest.until)
    }
  }

  async function publish(customerIds: string[]): Promise<void> {
    await transaction(context.sql, async (sql) => {
      await upsertInterests(sql, customerIds, processId, until())
      const items = customerIds.map((id) => `${id}:${processId}`)
      await context.notifications.publish(sql, watchedTopic, items)
    })
  }

  return {
    async watch(customerId) {
      const interest = own.get(customerId) ?? { watchers: 0, published: publish([customerId]) }
      own.set(customerId, interest)
      interest.watchers += 1
      renewal ??= setInterval(() => void publish([...own.keys()]).catch(warn), renewMilliseconds).unref()
      const stop = () => {
        interest.watchers -= 1
        if (interest.watchers > 0) return
        own.delete(customerId)
        deleteInterests(context.sql, processId, [customerId], context.now()).catch(warn)
        if (own.size === 0) {
          clearInterval(renewal)
          renewal = undefined
        }
      }
      try {
        // Watchers that join meanwhile wait and fail with it; the next one publishes again.
        await interest.published
      } catch (error) {
        stop()
        throw error
      }
      return stop
    },
    watched(customerIds) {
      if (everywhere.size === 0) return []
      const now = context.now().getTime()
      return customerIds.filter((id) => processesOf(id, now).length > 0)
    },
    processesOf: (customerId) => processesOf(customerId),
    async ready() {
      subscribed ??= subscribe()
      await subscribed
    },
  }
}
