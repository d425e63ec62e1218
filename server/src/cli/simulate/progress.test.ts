import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { duration, Progress, plural } from './progress.ts'

function terminal(isTTY: boolean, columns?: number) {
  const written: string[] = []
  const stream = { isTTY, columns, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  return { written, progress: new Progress(stream, 60_000) }
}

describe('the progress of a simulation', () => {
  it('is one line that changes on a terminal, and never wraps', () => {
    const { written, progress } = terminal(true, 20)
    progress.update('one')
    progress.update('x'.repeat(100))
    progress.line('done')
    assert.deepEqual(written, ['\rone\x1b[K', `\r${'x'.repeat(19)}\x1b[K`, '\rdone\x1b[K\n'])
  })

  it('is a plain line now and then elsewhere', () => {
    const { written, progress } = terminal(false)
    progress.update('one')
    progress.update('two')
    progress.line('done')
    assert.deepEqual(written, ['one\n', 'done\n'])
  })

  it('writes numbers for people', () => {
    assert.deepEqual([plural(1, 'device'), plural(5_000, 'device')], ['1 device', '5,000 devices'])
    assert.deepEqual([duration(9_400), duration(3_723_000)], ['0:09', '1:02:03'])
  })
})
