import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { toChart } from '../../bench/chart.ts'
import { isDisturbed, median } from '../../bench/environment.ts'
import { everyBarHolds, holds, type Row, toMarkdown, toText } from '../../bench/table.ts'
import { Window } from '../../bench/window.ts'

const callers = 512

/** Callers who send their next request when the last was completed, `together` of them every `milliseconds`. */
function reportOf(together: number, milliseconds: number) {
  const window = new Window(callers, { warmUpSeconds: 0.1, seconds: 0.5 }, 0)
  const queue = Array.from({ length: callers }, () => ({ sentAt: 0, first: true }))
  for (let now = milliseconds; queue.length > 0; now += milliseconds) {
    for (const { sentAt, first } of queue.splice(0, together)) {
      window.count(now, now - sentAt)
      if (first) window.begun(now)
      if (!window.isOver(now)) queue.push({ sentAt: now, first: false })
    }
  }
  return window.report()
}

describe('the window of a load generator', () => {
  it('counts what completes within it, also when each request takes longer than the shortest window', () => {
    const { rate, p50, p99 } = reportOf(1, 2)
    assert.ok(Math.abs(rate - 500) < 5, `${rate}/s where 500/s were served`)
    assert.deepEqual([p50, p99], [1_024, 1_024])
  })

  it('has room for several responses of each caller, so that groups of them do not distort the rate', () => {
    assert.equal(reportOf(callers, 400).rate, callers / 0.4)
  })

  it('ends early when there is nothing left to send, and then the rate is that of the shorter time', () => {
    const window = new Window(1, { warmUpSeconds: 0, seconds: 10 }, 0)
    for (let now = 100; now <= 1_100; now += 100) {
      window.count(now, 100)
      if (now === 100) window.begun(now)
    }
    window.end(1_100)
    assert.deepEqual([window.isOver(1_100), window.report().rate], [true, 10])
  })
})

it('the median of an even number of values is between the two in the middle', () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 10])], [2, 3])
})

describe('the table of benchmarks', () => {
  const row: Row = { what: 'a <rate>', ours: '5/s', peer: 'peer: 10/s', ratio: 0.5, bar: 0.5, spread: '0.40–0.60×' }
  const slow: Row = { ...row, better: 'lower', ratio: 1.6, bar: 1.5 }

  it('a ratio must be at least its bar, or at most where less is better; without a bar nothing can be missed', () => {
    assert.deepEqual([row, { ...row, ratio: 0.49 }, slow, { ...slow, ratio: 1.5 }, { ...row, bar: null }].map(holds), [
      true,
      false,
      false,
      true,
      null,
    ])
    assert.deepEqual([row, { ...row, ratio: null }, { ...row, ratio: Number.NaN }].map(holds), [true, false, false])
    assert.deepEqual([everyBarHolds([row, { ...row, bar: null }]), everyBarHolds([row, slow])], [true, false])
  })

  it('a peer that fell below half of its own earlier rate has no ratio, and holds no bar', () => {
    const steady = [[], [10], [10, 6, 9], [4, 10, 5.1]]
    assert.deepEqual(steady.map(isDisturbed), [false, false, false, false])
    assert.deepEqual(
      [
        [10, 4.9],
        [10, 10, 12, 4],
      ].map(isDisturbed),
      [true, true],
    )
    const disturbed = { ...row, disturbed: true }
    assert.deepEqual([holds(disturbed), holds({ ...disturbed, bar: null })], [false, null])
    assert.match(toText([disturbed]), / disturbed {2}≥ 0\.5×/)
    assert.doesNotMatch(toText([disturbed]), /0\.50×/)
  })

  it('is printed, written as Markdown, and drawn without anything from elsewhere', () => {
    assert.match(toText([row, slow]), /^✔ {2}a <rate> .* 0\.50× {2}≥ 0\.5×.*\n✖ .* 1\.60× {2}≤ 1\.5×/m)
    assert.match(toMarkdown([slow]), /^\| a <rate> \| 5\/s \| peer: 10\/s \| 1\.60× \| ≤ 1\.5× \| .* \| ✖ \|$/m)
    const chart = toChart([row, slow, { ...row, bar: null }])
    assert.equal(chart.match(/<g>/g)!.length, 2, 'rows without a bar are not drawn')
    assert.match(chart, /a &lt;rate&gt;/)
    assert.doesNotMatch(chart.replace('http://www.w3.org/2000/svg', ''), /https?:|url\(|@import|@font-face/)
  })
})

it('every program that a benchmark starts exists: nothing else notices a name that changed', async () => {
  const folder = fileURLToPath(new URL('../../bench/', import.meta.url))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(({ name }) => name.endsWith('.ts'))
  assert.ok(files.length > 30)
  const missing = files.map(async ({ parentPath, name }) => {
    const text = await readFile(join(parentPath, name), 'utf8')
    const named = [...text.matchAll(/'([\w./-]+\.ts)'/g)].map(([, path]) => path!)
    return named.filter((path) => !existsSync(join(parentPath, path)) && !existsSync(join(folder, path)))
  })
  assert.deepEqual((await Promise.all(missing)).flat(), [])
})
