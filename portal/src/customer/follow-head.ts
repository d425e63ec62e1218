import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'
import { type Pages, useApi } from '../api/api.tsx'
import { type Command, isWaiting } from '../api/commands.ts'

const waitSeconds = 25
/** What changed between the read of the list and the wait is seen by then. */
const readAgainMilliseconds = 5_000
const pauseMilliseconds = 500
/** With more pages open, all of them would be read again for each change. */
const livePages = 3

/**
 * Reads the list again as soon as something happens to the command that is next: the others wait for it. One request is
 * open, and none in a hidden tab: a browser opens six per service.
 */
export function useFollowHead(deviceId: string, list: Pages<Command>): void {
  const api = useApi()
  const isVisible = useDocumentVisibility() !== 'hidden'
  const head = isVisible ? list.items.findLast(isWaiting)?.id : undefined
  const reload = useEffectEvent(() => {
    if ((list.data?.pages.length ?? 0) <= livePages) void list.refetch({ cancelRefetch: false })
  })
  useEffect(() => {
    if (head === undefined) return
    const stopper = new AbortController()
    const { signal } = stopper
    const follow = async () => {
      while (!signal.aborted) {
        const parameters = { id: deviceId, command_id: head, wait: waitSeconds }
        const command = await api
          .read('GET /core/v1/organization/devices/{id}/commands/{command_id}', parameters, signal)
          .catch(() => undefined)
        if (signal.aborted) return
        if (command) reload()
        await new Promise((resolve) => setTimeout(resolve, command ? pauseMilliseconds : readAgainMilliseconds))
      }
    }
    void follow()
    const timer = window.setInterval(reload, readAgainMilliseconds)
    return () => {
      stopper.abort()
      window.clearInterval(timer)
    }
  }, [api, deviceId, head])
}
