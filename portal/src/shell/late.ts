import { type ComponentType, lazy, useCallback, useState } from 'react'
import { probe } from '../api/connection.ts'
import { withMoreStyles } from '../more-styles.ts'

/** A part of the frame whose file is loaded when it is first opened. `load` must stay the same function. */
export function useLate<Props>(load: () => Promise<ComponentType<Props>>) {
  const [Late, setLate] = useState<ComponentType<Props> | null>(null)
  const [opened, setOpened] = useState(false)
  const close = useCallback(() => setOpened(false), [])
  const open = useCallback(() => {
    setOpened(true)
    withMoreStyles(load()).then(
      (loaded) => setLate(() => loaded),
      () => {
        setOpened(false)
        // The banner says why, if the service is away.
        void probe()
      },
    )
  }, [load])
  return { Late: opened ? Late : null, opened, loading: opened && Late === null, open, close }
}

const retryMilliseconds = 5_000

/** A component whose file is loaded when it is first shown, for parts without which the page is complete. */
export function lateComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    for (;;) {
      const loaded = await withMoreStyles(load()).catch(() => null)
      if (loaded) return { default: loaded }
      // The connection may be gone, which must not end the page.
      await new Promise((resolve) => window.setTimeout(resolve, retryMilliseconds))
    }
  })
}
