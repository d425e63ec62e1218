import { Text, type TextProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useConnection } from '../../api/connection.ts'
import { locale } from '../../locale.ts'
import { relativeFormat, relativeTime } from './relative-time.ts'

const relative = relativeFormat('long')
const narrow = relativeFormat('narrow')
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })

/** Of the browser, in which every time is shown: `Europe/Oslo`. */
export const timeZone = new Intl.DateTimeFormat('en-GB').resolvedOptions().timeZone

export function exactTime(at: Date): string {
  return exact.format(at)
}

const dayAndTime = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** `21 Nov, 17:00` */
export function shortTime(at: Date): string {
  return dayAndTime.format(at)
}

const wholeDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })

/** `21 Nov 2027` */
export function dayText(at: Date): string {
  return wholeDay.format(at)
}

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })

/** `17:00` */
export function clockTime(at: number): string {
  return clock.format(at)
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })

/** `17:00` of today, or `21 Nov`. */
export function briefTime(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString()
  return isToday ? clock.format(at) : day.format(at)
}

/** One timer for all times on the page. */
const listeners = new Set<() => void>()
let timer: number | undefined
function useTick(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const tick = () => setNow(Date.now())
    listeners.add(tick)
    timer ??= window.setInterval(() => {
      for (const listener of listeners) listener()
    }, 5_000)
    return () => {
      listeners.delete(tick)
      if (listeners.size > 0) return
      window.clearInterval(timer)
      timer = undefined
    }
  }, [])
  return now
}

interface WhenProps extends TextProps {
  at: string | null | undefined
  never?: string
  /** Abbreviated, for narrow columns. */
  short?: boolean
}

/** A relative time, with the exact one on hover or touch. */
export function When({ at, never = 'never', short = false, ...rest }: WhenProps) {
  const now = useTick()
  const { state } = useConnection()
  if (!at)
    return (
      <Text span inherit={rest.size === undefined} c="dimmed" {...rest}>
        {never}
      </Text>
    )
  const date = new Date(at)
  // The server's clock may be a moment ahead.
  const base = Math.max(now, Date.now())
  // While the service is away, something newer may have happened.
  const unsure = state === 'lost' && Math.abs(date.getTime() - base) < 60_000
  return (
    <Text
      span
      inherit={rest.size === undefined}
      component="time"
      dateTime={date.toISOString()}
      data-tooltip={exactTime(date)}
      style={{ whiteSpace: 'nowrap' }}
      {...rest}
    >
      {unsure ? `at ${clockTime(date.getTime())}` : relativeTime(date, base, short ? narrow : relative)}
    </Text>
  )
}
