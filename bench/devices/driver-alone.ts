// The same rows written by the driver alone: no HTTP, no validation, no authentication, no responses.
// Batches of the size of a mass call, two statements under way, like the service.
import pg from 'pg'

export interface DriverOrder {
  url: string
  numbers: number[]
  deviceIds: string[]
  telemetries: string[]
  batch: number
  seconds: number
}

const statement = `
  with message as (
    select * from unnest($1::int[], $2::uuid[], $3::text[]) as message (number, device_id, telemetries)
  ), stored as (
    insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries)
    select number, 1, $4::timestamptz, $4, device_bucket(device_id), 'online', telemetries::json from message
  )
  update device_states state
  set seen_at = $4, status_before = state.status, status = 'online', latest_at = $4, latest_arrived_at = $4,
    latest_status = 'online', latest = message.telemetries::json
  from message where state.bucket = device_bucket(message.device_id) and state.device_id = message.device_id`

process.once('message', async (order: DriverOrder) => {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: order.url, pipeline: true } as pg.ClientConfig))
  for (const client of clients) {
    await client.connect()
    await client.query('set synchronous_commit = on')
  }
  let written = 0
  const times: number[] = []
  let counting = false
  let running = true

  async function write(offset: number): Promise<void> {
    const size = order.batch
    for (let start = offset * size; running; start = (start + 2 * size) % order.numbers.length) {
      const slice = <T>(list: T[]) => list.slice(start, start + size)
      const values = [slice(order.numbers), slice(order.deviceIds), slice(order.telemetries), new Date()]
      const sentAt = performance.now()
      await clients[offset]!.query({ name: 'write', text: statement, values })
      if (!counting) continue
      written += Math.min(size, order.numbers.length - start)
      times.push(performance.now() - sentAt)
    }
  }

  const writing = [write(0), write(1)]
  await sleep(1)
  counting = true
  const startedAt = performance.now()
  await sleep(order.seconds)
  counting = false
  const rate = written / ((performance.now() - startedAt) / 1000)
  running = false
  await Promise.all(writing)
  await Promise.all(clients.map((client) => client.end()))
  times.sort((a, b) => a - b)
  process.send!({ rate, p99: times[Math.floor(times.length * 0.99)] }, () => process.exit(0))
})

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
