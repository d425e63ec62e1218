import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { changeItems, type Page, useApi } from './api.tsx'
import type { DataPoint, Device, DeviceWithState } from './organization.ts'

/** `state` whenever a device speaks, `status` whenever it turns, `removed` when it is gone. */
interface LiveEvent {
  device_id: string
  removed?: true
  status: Device['status']
  last_seen_at?: string
  state?: Record<string, DataPoint>
}

interface Follow {
  deviceId?: string
  onEvent: (event: LiveEvent) => void
  /** What came while nobody listened is read again. */
  onOpen: () => void
  onLive: (live: boolean) => void
}

/** EventSource comes back by itself and resumes with Last-Event-ID. */
function follow(customerId: string, { deviceId, onEvent, onOpen, onLive }: Follow): () => void {
  const query = new URLSearchParams({ customer_id: customerId, ...(deviceId ? { device_id: deviceId } : {}) })
  const source = new EventSource(`/core/v1/organization/devices/stream?${query}`)
  const take = (message: MessageEvent<string>) => onEvent(JSON.parse(message.data) as LiveEvent)
  source.addEventListener('state', take)
  source.addEventListener('status', take)
  source.addEventListener('removed', (message) => onEvent({ ...JSON.parse(message.data), removed: true }))
  source.onopen = () => {
    onLive(true)
    onOpen()
  }
  source.onerror = () => onLive(false)
  return () => source.close()
}

/** Keeps one device's answer as fresh as the device; true while the stream is open. */
export function useLiveDevice(deviceId: string): boolean {
  const { name, headers } = useApi()
  const client = useQueryClient()
  const [live, setLive] = useState(false)
  const customer = headers['landbridge-customer'] ?? ''
  useEffect(() => {
    const path = `/devices/${deviceId}`
    const readAgain = () => void client.invalidateQueries({ queryKey: [name, path] })
    return follow(customer, {
      deviceId,
      onLive: setLive,
      onOpen: readAgain,
      onEvent: (event) => {
        if (event.removed) return readAgain()
        client.setQueriesData<DeviceWithState>({ queryKey: [name, path] }, (device) =>
          device ? { ...withNews(device, event), state: { ...device.state, ...event.state } } : device,
        )
      },
    })
  }, [client, name, customer, deviceId])
  return live
}

/** Rows that are on the page turn as their devices do. News gathers for a moment: a large fleet never stops talking. */
const gatherMilliseconds = 400

export function useLiveList(): void {
  const { name, headers } = useApi()
  const client = useQueryClient()
  const customer = headers['landbridge-customer'] ?? ''
  useEffect(() => {
    const news = new Map<string, LiveEvent>()
    const timer = window.setInterval(() => {
      if (news.size === 0) return
      client.setQueriesData<InfiniteData<Page<Device>>>({ queryKey: [name, '/devices', 'pages'] }, (data) =>
        changeItems(data, (item) => told(item, news)),
      )
      news.clear()
    }, gatherMilliseconds)
    const stop = follow(customer, {
      onLive: () => {},
      onOpen: () => {},
      onEvent: (event) => news.set(event.device_id, { ...news.get(event.device_id), ...event }),
    })
    return () => {
      stop()
      window.clearInterval(timer)
    }
  }, [client, name, customer])
}

function told(item: Device, news: Map<string, LiveEvent>): Device[] {
  const event = news.get(item.id)
  if (event?.removed) return []
  return [event ? withNews(item, event) : item]
}

function withNews<Item extends Device>(device: Item, { status, last_seen_at }: LiveEvent): Item {
  return { ...device, status, last_seen_at: last_seen_at ?? device.last_seen_at }
}
