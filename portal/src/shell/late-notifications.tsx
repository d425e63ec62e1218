import { lazy, Suspense, useEffect, useState } from 'react'
import { withMoreStyles } from '../more-styles.ts'

const Notifications = lazy(async () => {
  for (;;) {
    const loaded = await withMoreStyles(import('./notifications.ts')).catch(() => null)
    if (loaded) return { default: loaded.Notifications }
    // The connection may be gone, which must not end the page.
    await new Promise((resolve) => window.setTimeout(resolve, 5_000))
  }
})

/** After the first page, which needs none. Those shown before wait in their store. */
export function LateNotifications() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = window.setTimeout(() => setWanted(true), 2_000)
    return () => window.clearTimeout(timer)
  }, [])
  return <Suspense>{wanted && <Notifications position="bottom-right" />}</Suspense>
}
