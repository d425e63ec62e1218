import { useIsFetching } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { withMoreStyles } from '../more-styles.ts'

const Notifications = lazy(async () => {
  for (;;) {
    const loaded = await withMoreStyles(import('./notifications.ts')).catch(() => null)
    if (loaded) return { default: loaded.Notifications }
    // The connection may be gone, which must not end the page.
    await new Promise((resolve) => window.setTimeout(resolve, 5_000))
  }
})

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
