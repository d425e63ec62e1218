import { lazy, Suspense, useEffect, useState } from 'react'
import { withMoreStyles } from '../pages.ts'

const Notifications = lazy(async () => ({
  default: (await withMoreStyles(import('./notifications.ts'))).Notifications,
}))

/** After the first page, which needs none. Those shown before wait in their store. */
export function LateNotifications() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const timer = window.setTimeout(() => setWanted(true), 2_000)
    return () => window.clearTimeout(timer)
  }, [])
  return <Suspense>{wanted && <Notifications position="bottom-right" />}</Suspense>
}
