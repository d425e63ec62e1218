import { type ComponentType, useCallback, useState } from 'react'
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
