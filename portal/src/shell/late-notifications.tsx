import { useIsFetching } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { lateComponent } from './late.ts'

const Notifications = lateComponent(async () => (await import('./notifications.ts')).Notifications)

/** After the first page has its data, since it needs none. Those shown before wait in their store. */
export function LateNotifications() {
  const loading = useIsFetching() > 0
  const loaded = useRef(false)
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    loaded.current ||= loading
    if (loading || !loaded.current) return
    const timer = window.setTimeout(() => setWanted(true), 1_000)
    return () => window.clearTimeout(timer)
  }, [loading])
  return <Suspense>{wanted && <Notifications position="bottom-right" />}</Suspense>
}
