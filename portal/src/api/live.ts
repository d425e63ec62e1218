import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from './api.tsx'

/** How often to ask while no stream is open. */
const pollEvery = 3_000

/**
 * Keeps a device's answer fresh: the stream says that something changed, and the page reads it again. EventSource
 * reconnects by itself and resumes with Last-Event-ID; while it is down, the page asks now and then.
 */
export function useLiveDevice(deviceId: string): boolean {
  const { name, headers } = useApi()
  const client = useQueryClient()
  const [live, setLive] = useState(false)
  const customer = headers['landbridge-customer'] ?? ''
  useEffect(() => {
    const refresh = () => void client.invalidateQueries({ queryKey: [name, `/devices/${deviceId}`] })
    const source = new EventSource(
      `/core/v1/organization/devices/stream?${new URLSearchParams({ customer_id: customer, device_id: deviceId })}`,
    )
    source.onopen = () => {
      setLive(true)
      refresh()
    }
    source.onerror = () => setLive(false)
    for (const kind of ['message', 'state', 'status']) source.addEventListener(kind, refresh)
    const timer = window.setInterval(() => {
      if (source.readyState !== EventSource.OPEN) refresh()
    }, pollEvery)
    return () => {
      source.close()
      window.clearInterval(timer)
    }
  }, [client, name, customer, deviceId])
  return live
}
