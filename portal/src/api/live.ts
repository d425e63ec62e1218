import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { changeItems, type Page, useApi } from './api.tsx'
import { onRegained, probe, useConnection } from './connection.ts'
import { pathOf, urlOf } from './operations.ts'
import type { DataPoint, Device, DeviceWithState } from './organization.ts'

/** `state` for every message of a device, `status` for every change of its status, `removed` when it is gone. */
interface LiveEvent {
  device_id: string
  removed?: true
  status: Device['status']
  /** Only with a change of the status. */
  status_at?: string
  reason?: Device['reason']
  last_seen_at?: string
  state?: Record<string, DataPoint>
}

const reopenMilliseconds = 10_000

interface Follow {
  deviceId?: string
  onEvent: (event: LiveEvent) => void
  /** Loads what was missed while the stream was closed. */
  onOpen: () => void
  onLive: (live: boolean) => void
  /** The session may have ended. */
  onRefused: () => void
}

/** EventSource reconnects by itself and resumes with Last-Event-ID, except after a response with an error. */
function follow(customerId: string, { deviceId, onEvent, onOpen, onLive, onRefused }: Follow): () => void {
  const address = urlOf('GET /core/v1/organization/devices/stream', { customer_id: customerId, device_id: deviceId })
  const receive = (message: MessageEvent<string>) => onEvent(JSON.parse(message.data) as LiveEvent)
  let source: EventSource
  let timer: number | undefined
  const open = () => {
    window.clearTimeout(timer)
    source = new EventSource(address)
    source.addEventListener('state', receive)
    source.addEventListener('status', receive)
    source.addEventListener('removed', (message) => onEvent({ ...JSON.parse(message.data), removed: true }))
    source.onopen = () => {
      onLive(true)
      onOpen()
    }
    source.onerror = () => {
      onLive(false)
      // The stream may have ended for another reason than the connection.
      void probe()
      if (source.readyState !== EventSource.CLOSED) return
      onRefused()
      timer = window.setTimeout(open, reopenMilliseconds)
    }
  }
  open()
  const stopWaiting = onRegained(() => {
    if (source.readyState === EventSource.OPEN) return
    source.close()
    open()
  })
  return () => {
    stopWaiting()
    window.clearTimeout(timer)
    source.close()
  }
}

/** Updates one device as its events arrive; true while the stream is open. */
export function useLiveDevice(deviceId: string): boolean {
  const { name, headers } = useApi()
  const client = useQueryClient()
  const [live, setLive] = useState(false)
  const { state } = useConnection()
  const customer = headers['landbridge-customer'] ?? ''
  useEffect(() => {
    const path = pathOf('GET /core/v1/organization/devices/{id}', { id: deviceId })
    const reload = () => void client.invalidateQueries({ queryKey: [name, path] })
    return follow(customer, {
      deviceId,
      onLive: setLive,
      onOpen: reload,
      onRefused: () => void client.invalidateQueries({ queryKey: ['session'] }),
      onEvent: (event) => {
        if (event.removed) return reload()
        client.setQueriesData<DeviceWithState>({ queryKey: [name, path] }, (device) =>
          device ? { ...withStatus(device, event), state: event.state ?? device.state } : device,
        )
      },
    })
  }, [client, name, customer, deviceId])
  // A stream may look open long after the connection is lost.
  return live && state !== 'lost'
}

/** Events of a large fleet are applied in batches. */
const batchMilliseconds = 400

export function useLiveList(): void {
  const { name, headers } = useApi()
  const client = useQueryClient()
  const customer = headers['landbridge-customer'] ?? ''
  useEffect(() => {
    const events = new Map<string, LiveEvent>()
    const timer = window.setInterval(() => {
      if (events.size === 0) return
      client.setQueriesData<InfiniteData<Page<Device>>>(
        { queryKey: [name, pathOf('GET /core/v1/organization/devices', {}), 'pages'] },
        (data) => changeItems(data, (item) => applyEvent(item, events.get(item.id))),
      )
      events.clear()
    }, batchMilliseconds)
    const stop = follow(customer, {
      onLive: () => {},
      onOpen: () => {},
      onRefused: () => void client.invalidateQueries({ queryKey: ['session'] }),
      onEvent: (event) => events.set(event.device_id, { ...events.get(event.device_id), ...event }),
    })
    return () => {
      stop()
      window.clearInterval(timer)
    }
  }, [client, name, customer])
}

function applyEvent(device: Device, event: LiveEvent | undefined): Device[] {
  if (event?.removed) return []
  return [event ? withStatus(device, event) : device]
}

/** What changes an alarm is a message, which does not say so: the next read of the list does. */
function withStatus<Item extends Device>(device: Item, { status, status_at, reason, last_seen_at }: LiveEvent): Item {
  const changed = status_at ? { status_at, reason: reason ?? null, alarm: null } : {}
  return { ...device, status, ...changed, last_seen_at: last_seen_at ?? device.last_seen_at }
}
