// The same rows written by the driver alone: no HTTP, no validation, no authentication, nothing to answer.
// One message after another in batches of a mass call's size, two statements under way, as the service has.
import postgres from 'postgres'

export interface DriverOrder {
  url: string
  numbers: number[]
  deviceIds: string[]
  telemetries: string[]
  batch: number
  seconds: number
}

process.once('message', async (order: DriverOrder) => {
  const sql = postgres(order.url, { max: 2, onnotice: () => {}, connection: { synchronous_commit: 'on' } })
  let written = 0
  let counting = false
  let running = true

  async function lane(offset: number): Promise<void> {
    const size = order.batch
    for (let start = offset * size; running; start = (start + 2 * size) % order.numbers.length) {
      const slice = <T>(list: T[]) => list.slice(start, start + size)
      const at = new Date()
      await sql`
        with message as (
          select * from unnest(${slice(order.numbers)}::int[], ${slice(order.deviceIds)}::uuid[], ${slice(order.telemetries)}::text[])
            as message (number, device_id, telemetries)
        ), stored as (
          insert into history (device_number, timestamp, received_at, status, telemetries)
          select number, ${at}, ${at}, 'online', telemetries::json from message
        )
        update device_states state
        set seen_at = ${at}, status_before = state.status, status = 'online', latest_at = ${at}, latest_arrived_at = ${at},
          latest_status = 'online', latest_keys = 1, latest = message.telemetries::json
        from message where state.device_id = message.device_id`
      if (counting) written += Math.min(size, order.numbers.length - start)
    }
  }

  const lanes = [lane(0), lane(1)]
  await sleep(1)
  counting = true
  const began = performance.now()
  await sleep(order.seconds)
  counting = false
  const rate = written / ((performance.now() - began) / 1000)
  running = false
  await Promise.all(lanes)
  await sql.end()
  process.send!({ rate }, () => process.exit(0))
})

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
