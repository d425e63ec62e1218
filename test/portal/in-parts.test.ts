import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusedByAll, runInParts, sendCommands } from '../../portal/src/customer/call-parts.ts'

interface Device {
  id: string
}

const devicesOf = (count: number): Device[] => Array.from({ length: count }, (_, n) => ({ id: `device ${n}` }))
const idsOf = (devices: Device[]) => devices.map(({ id }) => id)
const run = (devices: Device[], call: Parameters<typeof runInParts<Device>>[1]) => runInParts(devices, call)

/** A service that takes at most a thousand devices per call, one call at a time. */
function service(result: (id: string, call: number) => { error?: string } = () => ({})) {
  const calls: string[][] = []
  let running = 0
  const send = async (ids: string[]) => {
    assert.ok(ids.length <= 1_000 && running === 0, 'at most a thousand, one call after the other')
    running += 1
    await new Promise(setImmediate)
    running -= 1
    const call = calls.push(ids) - 1
    return { batch_id: `batch ${call}`, results: ids.map((id) => result(id, call)) }
  }
  return { calls, send }
}

describe('a command for more devices than one call takes', () => {
  it('is sent in turn, a thousand per call, each device once and in order', async () => {
    const devices = devicesOf(2_500)
    const { calls, send } = service((id) => (id === 'device 1700' ? { error: 'The device is offline.' } : {}))
    const progress: number[] = []
    const counting: typeof run = (all, call) => runInParts(all, call, (done) => progress.push(done))
    const { results, batches } = await sendCommands(counting, devices, send)
    assert.deepEqual(
      calls.map((ids) => ids.length),
      [1_000, 1_000, 500],
    )
    assert.deepEqual(calls.flat(), idsOf(devices))
    assert.deepEqual(
      [batches, progress],
      [
        ['batch 0', 'batch 1', 'batch 2'],
        [1_000, 2_000, 2_500],
      ],
    )
    assert.deepEqual(idsOf(results.map(({ device }) => device)), idsOf(devices))
    assert.deepEqual(
      results.filter(({ error }) => error !== null).map(({ device, error }) => [device.id, error]),
      [['device 1700', 'The device is offline.']],
    )
  })

  it('a call that fails ends it: what was sent is sent, and the others say why they were not', async () => {
    const failing = (at: number) => (_: string, call: number) => {
      if (call === at) throw new Error('Overloaded.')
      return {}
    }
    const later = service(failing(1))
    const { results, batches } = await sendCommands(run, devicesOf(2_500), later.send)
    assert.deepEqual([later.calls.length, batches, results.length], [2, ['batch 0'], 2_500])
    assert.deepEqual([...new Set(results.slice(0, 1_000).map(({ error }) => error))], [null])
    assert.deepEqual([...new Set(results.slice(1_000).map(({ error }) => error))], ['Overloaded.'])
    const first = service(failing(0))
    await assert.rejects(sendCommands(run, devicesOf(1_001), first.send), /Overloaded/)
    assert.equal(first.calls.length, 1)
  })

  it('what every device refuses is wrong in the form; what some refuse is not', () => {
    const wrong = { status: 422, details: [{ field: 'parameters.seconds', message: 'must be at most 4' }] }
    assert.equal(refusedByAll([{ status: 422 }, wrong]), wrong)
    assert.equal(refusedByAll([{ status: 202 }, wrong]), undefined)
  })

  it('none for none', async () => {
    const { calls, send } = service()
    assert.deepEqual(await sendCommands(run, [], send), { results: [], batches: [] })
    assert.equal(calls.length, 0)
  })
})
