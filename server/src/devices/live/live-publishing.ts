import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { TelemetryPipeline } from '../telemetry/telemetry-pipeline.ts'
import { findOwners } from '../telemetry-store/telemetry-store.ts'
import type { LiveInterest } from './interest.ts'
import { liveTopics, movedTopic, processChannel } from './topics.ts'

export interface LivePublishing {
  /** Called by everything that serves devices on this process; the first call starts it. */
  start(): Promise<void>
}

/**
 * After each commit of telemetry, notifies the live streams of its devices: one query and one notification for all that
 * was committed while the last was being sent, and nothing for customers without an open stream.
 */
export function createLivePublishing(
  context: BaseContext,
  { interest, telemetry }: { interest: LiveInterest; telemetry: TelemetryPipeline },
): LivePublishing {
  const publish = coalesce<{ customers: string[]; device_ids: string[] }, undefined>(async (batches) => {
    const customers = [...new Set(batches.flatMap((batch) => batch.customers))]
    const deviceIds = [...new Set(batches.flatMap((batch) => batch.device_ids))]
    const owners = await findOwners(context.sql, deviceIds, customers)
    await publishToWatchers({ ...context, liveInterest: interest }, context.sql, liveTopics.telemetry, owners)
    return batches.map(() => undefined)
  })

  async function start(): Promise<void> {
    await interest.ready()
    telemetry.listeners.push(({ customers, device_ids }) => {
      const watched = interest.watched(customers)
      if (watched.length === 0) return
      publish({ customers: watched, device_ids: device_ids() }).catch((error) =>
        context.log.warn({ err: error }, 'live: telemetry not published'),
      )
    })
  }

  let started: Promise<void> | undefined
  return {
    start() {
      started ??= start()
      return started
    },
  }
}

interface WatchedDevice {
  device_id: string
  customer_id: string
}

/** To every process. */
export async function publishDevices(
  context: Pick<BaseContext, 'notifications'>,
  sql: Sql,
  topic: string,
  devices: readonly WatchedDevice[],
): Promise<void> {
  await context.notifications.publish(sql, topic, devices.map(toItem))
}

/** Devices as they were before they were moved, to every process: whoever sees some spaces only may see them no more. */
export async function publishMoves(
  context: Pick<BaseContext, 'notifications'>,
  sql: Sql,
  customerId: string,
  devices: readonly { id: string; space_id: string | null }[],
): Promise<void> {
  const items = devices.map(({ id, space_id }) => `${customerId}:${id}:${space_id ?? ''}`)
  await context.notifications.publish(sql, movedTopic, items)
}

/** Only to the processes on which somebody watches these customers' devices. */
export async function publishToWatchers(
  context: Pick<BaseContext, 'notifications'> & { liveInterest: LiveInterest },
  sql: Sql,
  topic: string,
  devices: readonly WatchedDevice[],
): Promise<void> {
  const byProcess = new Map<string, WatchedDevice[]>()
  for (const device of devices) {
    for (const process of context.liveInterest.processesOf(device.customer_id)) {
      const watched = byProcess.get(process)
      if (watched) watched.push(device)
      else byProcess.set(process, [device])
    }
  }
  for (const [process, watched] of byProcess) {
    await context.notifications.publish(sql, topic, watched.map(toItem), processChannel(process))
  }
}

function toItem({ customer_id, device_id }: WatchedDevice): string {
  return `${customer_id}:${device_id}`
}
