import type { Logger } from 'pino'
import { type Limits, windowMilliseconds } from './limits.ts'

/** What a caller may still do in the current window. */
export interface Rate {
  allowed: boolean
  max: number
  /** As far as this process knows: others may use some of it. */
  remaining: number
  /** Until the window closes, and there is all of it again. */
  seconds: number
  /** Once per process and window each: for what is recorded once, however many calls there are. */
  reached: 'near' | 'refused' | null
}

/** Rates of calls per key, counted for all processes together (decision 10.23). */
export interface Rates {
  /** At once, where no statement is needed: that is so for most calls, and a promise would cost as much as the count. */
  take(key: string, max: number): Rate | Promise<Rate>
}

/**
 * Up to this share of a budget, a process lets its callers pass without asking: most never make more calls than that, and
 * cost no statement. It is also the most that each process can add to a budget which others have used up.
 */
const unaskedShare = 1 / 100
/** Of what is left of a budget, at most this share is leased at once: what one process leaves unused, others lack. */
const leasedShare = 1 / 16

interface Window {
  closesAt: number
  /** Calls that may pass without asking. */
  granted: number
  /** Calls that passed before the budget was asked for. */
  unreported: number
  /** What nobody has leased. */
  shared: number
  /** Size of the next lease. */
  lease: number
  waiting: number
  asking: Promise<void> | null
  reached: 'near' | 'refused' | null
}

/**
 * Each process leases calls from the budget that all share, many at a time, so that most calls need no statement. Leases
 * grow with the calls and shrink with the budget: its last ones are counted singly, and a refusal costs nothing.
 */
export function createRates({ limits, now, log }: { limits: Limits; now: () => Date; log: Logger }): Rates {
  const windows = new Map<string, Window>()
  let sweptAt = now().getTime()

  function sweep(at: number): void {
    if (Math.abs(at - sweptAt) < windowMilliseconds) return
    sweptAt = at
    for (const [key, window] of windows) if (!isOpen(window, at)) windows.delete(key)
  }

  function windowOf(key: string, max: number, at: number): Window {
    const known = windows.get(key)
    if (known && isOpen(known, at)) return known
    sweep(at)
    const window = newWindow(max, at)
    windows.set(key, window)
    return window
  }

  async function lease(window: Window, key: string, max: number): Promise<void> {
    const wanted = Math.max(window.lease, window.waiting)
    const { unreported } = window
    try {
      const { granted, left, closesAt } = await limits.takeMany(key, unreported + wanted, max)
      window.granted = Math.max(0, granted - unreported)
      window.unreported = 0
      window.shared = left
      window.closesAt = closesAt.getTime()
      window.lease = Math.max(1, Math.min(wanted * 2, Math.floor(left * leasedShare)))
    } catch (error) {
      // Without its count a call passes: if Postgres cannot be reached, the call itself will fail.
      log.warn({ err: error }, 'calls not counted')
      window.granted = window.waiting
    }
    window.asking = null
  }

  async function askThenTake(window: Window, key: string, max: number): Promise<Rate> {
    window.waiting += 1
    window.asking ??= lease(window, key, max)
    await window.asking
    window.waiting -= 1
    return await take(key, max)
  }

  function take(key: string, max: number): Rate | Promise<Rate> {
    const at = now().getTime()
    const window = windowOf(key, max, at)
    if (window.granted > 0) {
      window.granted -= 1
      return rateOf(window, max, at, true)
    }
    return window.shared === 0 ? rateOf(window, max, at, false) : askThenTake(window, key, max)
  }

  return { take }
}

function newWindow(max: number, at: number): Window {
  const unasked = Math.floor(max * unaskedShare)
  return {
    closesAt: at + windowMilliseconds,
    granted: unasked,
    unreported: unasked,
    shared: max - unasked,
    lease: Math.max(1, unasked),
    waiting: 0,
    asking: null,
    reached: null,
  }
}

/** Both ways: a clock that was set back must not keep a window open until it has caught up. */
function isOpen({ closesAt }: Window, at: number): boolean {
  return at < closesAt && closesAt - at <= 2 * windowMilliseconds
}

/** From this share on, a limit counts as nearly reached. */
export const nearShare = 0.8

function rateOf(window: Window, max: number, at: number, allowed: boolean): Rate {
  const remaining = window.granted + window.shared
  const now = !allowed ? 'refused' : remaining <= max * (1 - nearShare) ? 'near' : null
  const reached = now === window.reached || window.reached === 'refused' ? null : now
  window.reached = reached ?? window.reached
  return { allowed, max, remaining, seconds: Math.max(1, Math.ceil((window.closesAt - at) / 1000)), reached }
}
