import type { Context } from '../../context.ts'
import { transaction } from '../../platform/database/database.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { deleteInterests, listInterests, upsertInterests } from '../store/live.ts'

const topic = 'devices.watched'
/** An interest lapses with the process that had it; renewed long before. */
const livesMilliseconds = 60_000
const renewMilliseconds = 20_000

/** Which customers' devices are watched live, on whichever process. */
export interface LiveInterest {
  /** Somebody watches on this process; the returned function says that they stopped. */
  watch(customerId: string): Promise<() => void>
  /** Those of the customers that are watched anywhere. */
  watched(customerIds: readonly string[]): string[]
  /** Resolves once other processes' interests are known. */
  known(): Promise<void>
}

export const liveInterest = perContext((context: Context): LiveInterest => {
  const processId = newId()
  const own = new Map<string, { watchers: number; told: Promise<void> }>()
  const everywhere = new Map<string, number>()
  let following: Promise<void> | undefined
  let renewal: NodeJS.Timeout | undefined

  const until = () => new Date(context.now().getTime() + livesMilliseconds)
  const warn = (error: unknown) => context.log.warn({ err: error }, 'live: interest not told')

  /** Heard first and read then: whoever speaks up in between is in both. */
  async function follow(): Promise<void> {
    await context.notifications.subscribe(topic, (message) => {
      for (const customerId of message.split(' ')) everywhere.set(customerId, until().getTime())
    })
    context.notifications.afterGap(() => void read().catch(warn))
    await read()
  }

  async function read(): Promise<void> {
    for (const interest of await listInterests(context.sql, context.now())) {
      everywhere.set(interest.customer_id, interest.until.getTime())
    }
  }

  async function tell(customerIds: string[]): Promise<void> {
    await transaction(context.sql, async (sql) => {
      await upsertInterests(sql, customerIds, processId, until())
      // 36 characters each: two hundred fit in a message.
      for (let from = 0; from < customerIds.length; from += 200) {
        await context.notifications.publish(sql, topic, customerIds.slice(from, from + 200).join(' '))
      }
    })
  }

  return {
    async watch(customerId) {
      const interest = own.get(customerId) ?? { watchers: 0, told: tell([customerId]) }
      own.set(customerId, interest)
      interest.watchers += 1
      renewal ??= setInterval(() => void tell([...own.keys()]).catch(warn), renewMilliseconds).unref()
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
        // Whoever comes while it is being told waits too, and fails with it: the next one tells anew.
        await interest.told
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
        const ends = everywhere.get(id)
        if (ends !== undefined && ends <= now) everywhere.delete(id)
        return ends !== undefined && ends > now
      })
    },
    async known() {
      following ??= follow()
      await following
    },
  }
})
