import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'

function collect(level = 'info') {
  const lines: Record<string, unknown>[] = []
  return { lines, log: createLog(level, { write: (line) => void lines.push(JSON.parse(line)) }) }
}

describe('the log', () => {
  it('of a thousand equal errors writes one per minute, and then how many were left out', (t) => {
    const { lines, log } = collect()
    let now = 1_000_000
    t.mock.method(performance, 'now', () => now)
    const full = Object.assign(new Error('could not extend file'), { code: '53100' })
    for (let turn = 0; turn < 1_000; turn += 1) log.child({ reqId: turn }).error({ err: full }, 'telemetry not stored')
    assert.equal(lines.length, 1)
    now += 60_001
    log.error({ err: full }, 'telemetry not stored')
    assert.deepEqual([lines.length, lines[1]!.suppressed, lines[1]!.msg], [2, 999, 'telemetry not stored'])
  })

  it('distinguishes different errors, even with much in common', () => {
    const { lines, log } = collect()
    log.error({ err: new Error('one') }, 'failed')
    log.error({ err: new Error('two') }, 'failed')
    log.warn({ err: new Error('one') }, 'failed')
    log.error('failed')
    log.error({ postgres: 'PANIC: a' }, 'postgres')
    log.error({ postgres: 'PANIC: b' }, 'postgres')
    assert.equal(lines.length, 6)
  })

  it('tells the same error of two jobs, tables or keys apart', () => {
    const { lines, log } = collect()
    const violation = (table: string) => Object.assign(new Error('duplicate key'), { code: '23505', table })
    for (let turn = 0; turn < 10; turn += 1) {
      log.error({ err: violation('a'), job: 'expiry' }, 'job failed')
      log.error({ err: violation('a'), job: 'partitions' }, 'job failed')
      log.error({ err: violation('a') }, 'failed')
      log.error({ err: violation('b') }, 'failed')
    }
    log.warn({ reason: 'the database cannot be reached' }, 'not ready')
    log.warn({ reason: 'this process is stopping' }, 'not ready')
    assert.equal(lines.length, 6)
  })

  it('never leaves out the last words of a process', () => {
    const { lines, log } = collect()
    for (let turn = 0; turn < 3; turn += 1) log.fatal({ err: new Error('gone') }, 'cannot start')
    assert.equal(lines.length, 3)
  })

  it('leaves out nothing below a warning', () => {
    const { lines, log } = collect()
    for (let turn = 0; turn < 10; turn += 1) log.info({ turn }, 'request')
    assert.equal(lines.length, 10)
  })

  it('hides what is called a secret', () => {
    const { lines, log } = collect()
    log.info({ request: { headers: { authorization: 'Bearer x' } }, token: 'y' }, 'request')
    assert.doesNotMatch(JSON.stringify(lines), /Bearer x|"y"/)
  })
})
