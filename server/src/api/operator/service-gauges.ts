import { Gauge } from 'prom-client'
import { countReadyDays, estimateDevices, readDeadlineLag } from '../../devices/telemetry/device-gauges.ts'
import { maxCountedMails, readMailBacklog } from '../../events/mail/mail-log.ts'
import { countUnhealthyEndpoints, maxCounted, readWebhookBacklog } from '../../events/webhooks/delivery-gauges.ts'
import { cachedReadings, countConnections, measureRoundTrip } from '../../platform/database-gauges.ts'
import { version } from '../../platform/version.ts'
import type { Context } from '../context.ts'

/**
 * Read on every scrape. Each area counts what this process does. Of several processes the one that is
 * asked speaks for all (`first`): the others would read the same from Postgres.
 */
export function registerServiceGauges(context: Context): void {
  const { sql, lifecycle, clock, disk, metrics, siblings } = context
  const readings = cachedReadings({
    roundTrip: (signal) => measureRoundTrip(sql, signal),
    connections: (signal) => countConnections(sql, signal),
    webhooks: (signal) => readWebhookBacklog(context, signal),
    unhealthyEndpoints: (signal) => countUnhealthyEndpoints(context, signal),
    mails: (signal) => readMailBacklog(context, signal),
    deadlineLag: (signal) => readDeadlineLag(context, signal),
    readyDays: () => countReadyDays(context),
    devices: (signal) => estimateDevices(context, signal),
  })

  /** A value that is undefined, or a list that is empty, leaves the series out of the scrape. */
  function gauge(name: string, help: string, read: () => Promise<number | undefined>): void {
    labelled(name, help, [], async () => {
      const value = await read()
      return value === undefined ? [] : [[{}, value]]
    })
  }

  function labelled<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Promise<[Partial<Record<Label, string>>, number][]>,
  ): void {
    metrics.registry.removeSingleMetric(name)
    new Gauge({
      name,
      help,
      labelNames,
      registers: [metrics.registry],
      aggregator: 'first',
      async collect() {
        const values = await read()
        this.reset()
        if (labelNames.length === 0) this.remove()
        for (const [labels, value] of values) this.set(labels, value)
      },
    })
  }

  labelled('landbridge_build_info', 'Always 1; the labels name the running version.', ['version', 'node'], async () => [
    [{ version, node: process.version }, 1],
  ])
  gauge('landbridge_ready', '1 while this process is ready for requests.', async () => {
    const { roundTrip } = await readings()
    return !lifecycle.draining && clock.problem() === null && roundTrip !== undefined ? 1 : 0
  })
  const draining = '1 after SIGTERM, while this process still serves but is no longer ready.'
  gauge('landbridge_draining', draining, async () => (lifecycle.draining ? 1 : 0))
  const refused = '1 while the only primary lacks what was acknowledged, and is therefore not used.'
  gauge('landbridge_primary_refused', refused, async () => (context.sql.primary.refusal() === null ? 0 : 1))
  const configured = 'Serving processes of this server that there should be (LANDBRIDGE_PROCESSES).'
  gauge('landbridge_processes_configured', configured, async () => siblings.configured)
  const serving = 'Serving processes of this server that accept requests now.'
  gauge('landbridge_processes_serving', serving, async () => siblings.serving())
  const free = 'Free space on the disk of the private Postgres; absent with a Postgres of your own.'
  gauge('landbridge_disk_free_bytes', free, async () => disk.free() ?? undefined)

  const { config, cells } = context
  const buckets = 'Share of 1,024 buckets of devices by hub cell; `own` is that of this process. Absent without cells.'
  labelled('landbridge_hub_cell_buckets', buckets, ['cell', 'own'], async () =>
    [...cells.bucketCounts()].map(([cell, count]) => [{ cell, own: String(cell === config.cell) }, count]),
  )

  const roundTrip = 'Time of a statement to Postgres and back; absent while Postgres does not respond.'
  gauge('landbridge_database_round_trip_seconds', roundTrip, async () => (await readings()).roundTrip)
  const connections = 'Connections of all Landbridge processes to this database, by state.'
  labelled('landbridge_database_connections', connections, ['state'], async () =>
    ((await readings()).connections ?? []).map(({ state, count }) => [{ state }, count]),
  )

  const pending = `Webhook deliveries that are not finished, of all processes; estimated above ${maxCounted}.`
  gauge('landbridge_webhook_deliveries_pending', pending, async () => (await readings()).webhooks?.pending)
  const oldest = 'How long the oldest webhook delivery that is due has waited; paused event types are not due.'
  gauge('landbridge_webhook_oldest_due_seconds', oldest, async () => (await readings()).webhooks?.oldest_due_seconds)

  const unhealthy = 'Webhooks whose last attempt failed, and those that the service has disabled for it.'
  labelled('landbridge_webhook_endpoints', unhealthy, ['state'], async () =>
    Object.entries((await readings()).unhealthyEndpoints ?? {}).map(([state, count]) => [{ state }, count]),
  )

  const queued = `Mails that wait to be sent, of all processes; ${maxCountedMails} stands for more.`
  gauge('landbridge_mails_queued', queued, async () => (await readings()).mails?.queued)
  const oldestMail = 'How long the oldest mail that is due has waited.'
  gauge('landbridge_mail_oldest_due_seconds', oldestMail, async () => (await readings()).mails?.oldest_due_seconds)

  const lag = 'How long the oldest deadline has waited after which a silent device is offline.'
  gauge('landbridge_offline_deadline_lag_seconds', lag, async () => (await readings()).deadlineLag)
  const days = 'Days after today, in a row, that have a partition for telemetry history.'
  gauge('landbridge_history_partitions_ahead', days, async () => (await readings()).readyDays)
  const devices = 'Devices by status, of all processes; estimated from a sample above about 20,000 devices.'
  labelled('landbridge_devices', devices, ['status'], async () =>
    Object.entries((await readings()).devices ?? {}).map(([status, count]) => [{ status }, count]),
  )
}
