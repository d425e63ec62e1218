import type { BaseContext } from '../../context.ts'
import { transaction } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
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
  /** Resolves once the interests of other processes are known. */
  ready(): Promise<void>
}

export function createLiveInterest(context: BaseContext): LiveInterest {
  const processId = newId()
  const own = new Map<string, { watchers: number; published: Promise<void> }>()
  const everywhere = new Map<string, number>()
  let subscribed: Promise<void> | undefined
  let renewal: NodeJS.Timeout | undefined

  const until = () => new Date(context.now().getTime() + expiresAfterMilliseconds)
  const warn = (error: unknown) => context.log.warn({ err: error }, 'live: interest not published')

  /** Subscribes before it reads: an interest that begins in between is in both. */
  async function subscribe(): Promise<void> {
    const { notifications } = context
    const unsubscribe = await notifications.subscribe(watchedTopic, (id) => everywhere.set(id, until().getTime()))
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
      everywhere.set(interest.customer_id, interest.until.getTime())
    }
  }

  async function publish(customerIds: string[]): Promise<void> {
    await transaction(context.sql, async (sql) => {
      await upsertInterests(sql, customerIds, processId, until())
      await context.notifications.publish(sql, watchedTopic, customerIds)
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
      return customerIds.filter((id) => {
        const expiresAt = everywhere.get(id)
        if (expiresAt !== undefined && expiresAt <= now) everywhere.delete(id)
        return expiresAt !== undefined && expiresAt > now
      })
    },
    async ready() {
      subscribed ??= subscribe()
      await subscribed
    },
  }
}
