import type { BaseContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/refusal.ts'

/** What opened a live stream. */
export interface StreamCredential {
  /** `user:<id>`, `key:<id>`, `client:<id>`, `customer:<id>` or `tree:<id>`, as in the notification of the triggers on whatever can end it. */
  subjects: string[]
  /** Throws a Refusal once the credential has ended; returns when it will by itself, or null. */
  check(): Promise<Date | null>
}

export interface StreamCredentials {
  /** Calls `end` when the credential has ended; throws a Refusal when it already has. The returned function stops watching. */
  watch(credential: StreamCredential, end: () => void): Promise<() => void>
}

interface Watched {
  credential: StreamCredential
  end: () => void
  expiresAt: number
  checking: boolean
  /** It was notified during a check, or the check failed. */
  again: boolean
}

const topic = 'credentials'
/** How often the known ends are compared with the clock, without a statement. */
const tickMilliseconds = 250
/** How often all credentials are checked, should a notification have been lost in a way that nobody noticed. */
const checkAllMilliseconds = 30_000

/**
 * The credentials of this process's live streams, checked when a notification says that one may have ended, and when its
 * own time is over. Those that are checked at the same moment share a statement.
 */
export function createStreamCredentials(context: BaseContext): StreamCredentials {
  const watched = new Map<string, Set<Watched>>()
  let subscription: Promise<() => void> | undefined
  let timer: NodeJS.Timeout | undefined
  let checkedAllAt = 0

  async function check(one: Watched): Promise<void> {
    if (one.checking) {
      one.again = true
      return
    }
    one.checking = true
    one.again = false
    try {
      one.expiresAt = (await one.credential.check())?.getTime() ?? Number.POSITIVE_INFINITY
    } catch (error) {
      if (error instanceof Refusal) {
        remove(one)
        one.end()
      } else {
        context.log.warn({ err: error }, 'live: credential not checked')
        one.again = true
      }
    } finally {
      one.checking = false
    }
  }

  function tick(): void {
    const now = context.now().getTime()
    const all = performance.now() - checkedAllAt > checkAllMilliseconds
    if (all) checkedAllAt = performance.now()
    for (const one of new Set([...watched.values()].flatMap((ofSubject) => [...ofSubject]))) {
      if (all || one.again || one.expiresAt <= now) void check(one)
    }
  }

  function add(one: Watched): void {
    for (const subject of one.credential.subjects) {
      watched.set(subject, (watched.get(subject) ?? new Set()).add(one))
    }
    if (timer) return
    checkedAllAt = performance.now()
    timer = setInterval(tick, tickMilliseconds).unref()
    subscription = context.notifications.subscribe(topic, (subject) => {
      for (const one of watched.get(subject) ?? []) void check(one)
    })
  }

  function remove(one: Watched): void {
    let removed = false
    for (const subject of one.credential.subjects) {
      const ofSubject = watched.get(subject)
      removed = ofSubject?.delete(one) || removed
      if (ofSubject?.size === 0) watched.delete(subject)
    }
    if (!removed || watched.size > 0) return
    clearInterval(timer)
    timer = undefined
    void subscription?.then((unsubscribe) => unsubscribe())
  }

  return {
    async watch(credential, end) {
      const one: Watched = { credential, end, expiresAt: Number.POSITIVE_INFINITY, checking: false, again: false }
      add(one)
      try {
        await subscription
        one.expiresAt = (await credential.check())?.getTime() ?? Number.POSITIVE_INFINITY
      } catch (error) {
        remove(one)
        throw error
      }
      return () => remove(one)
    },
  }
}
