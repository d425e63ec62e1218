import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DeviceModel, type LandbridgeError, TelemetryOutbox } from './index.ts'

for (const code of ['overloaded', 'unknown_outcome'] as const) {
  it(`an outbox sends again what one entry of a call was refused for with 503 ${code}, with the same time and id`, async () => {
    const calls: { id: string; timestamp: string; message_id: string }[][] = []
    const request: typeof fetch = async (_, init) => {
      const { devices } = JSON.parse(String(init!.body))
      calls.push(devices)
      const failing = (id: string) => calls.length === 1 && id === 'b'
      const results = devices.map(({ id }: { id: string }) =>
        failing(id) ? { id, status: 503, code, error: 'Later.' } : { id, status: 200 },
      )
      return Response.json({ results })
    }
    const backoff = { attempts: 1, firstDelayMs: 1, longestDelayMs: 2 }
    const model = new DeviceModel({
      entryUrl: 'https://e.test',
      modelId: 'm',
      hardwareKey: 'h',
      backoff,
      fetch: request,
    })
    const errors: LandbridgeError[] = []
    const outbox = new TelemetryOutbox(model, {
      onError: (error) => errors.push(error as LandbridgeError),
      onRefused: () => assert.fail('it is no refusal'),
    })
    await Promise.all(
      ['a', 'b', 'c'].map((id) =>
        outbox.add({ id, access_key: 'k', hub_url: 'https://h.test' }, { status: 'online', telemetries: {} }),
      ),
    )
    await outbox.flushed()
    const again = calls.flat().filter(({ id }) => id === 'b')
    assert.deepEqual([calls.flat().length, again.length, outbox.waiting], [4, 2, 0])
    assert.deepEqual(again[0], again[1])
    assert.ok(again[0]!.timestamp && again[0]!.message_id)
    assert.deepEqual([errors.length, errors[0]!.code, errors[0]!.status], [1, code, 503])
    await outbox.stop()
  })
}
