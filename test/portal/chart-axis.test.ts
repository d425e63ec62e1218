import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type ChartPoint,
  gapOf,
  nearestPoint,
  panelsOf,
  timeTicks,
  valueAxis,
  withGaps,
} from '../../portal/src/components/chart/chart-axis.ts'
import { readTimeRange, spanOf, writeTimeRange } from '../../portal/src/components/chart/time-range.ts'
import { formatDuration, formatShare } from '../../portal/src/components/page/amounts.ts'

const labels = (least: number, greatest: number) =>
  valueAxis(least, greatest, 6).ticks.map(({ label }) => label.replaceAll('\u00a0', ' '))

describe('the axis of values', () => {
  const cases: [string, [number, number], string[]][] = [
    [
      'large numbers are whole',
      [1_235_560, 1_235_598],
      ['1,235,560', '1,235,570', '1,235,580', '1,235,590', '1,235,600'],
    ],
    ['small ones differ', [0.0002, 0.0014], ['0.0002', '0.0004', '0.0006', '0.0008', '0.0010', '0.0012', '0.0014']],
    ['a step of 2.5 has its decimal', [0, 14], ['0.0', '2.5', '5.0', '7.5', '10.0', '12.5', '15.0']],
    ['negative ones', [-7, 12], ['-10', '-5', '0', '5', '10', '15']],
    ['one value only has room around it', [21, 21], ['18', '19', '20', '21', '22', '23', '24']],
    ['zero only', [0, 0], ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']],
    ['very large ones', [2e15, 6e15], ['2 × 10¹⁵', '3 × 10¹⁵', '4 × 10¹⁵', '5 × 10¹⁵', '6 × 10¹⁵']],
    ['very small ones', [0, 4e-9], ['0', '1 × 10⁻⁹', '2 × 10⁻⁹', '3 × 10⁻⁹', '4 × 10⁻⁹']],
    [
      'very large ones that are close',
      [1.00001e15, 1.00003e15],
      ['1.000010 × 10¹⁵', '1.000015 × 10¹⁵', '1.000020 × 10¹⁵', '1.000025 × 10¹⁵', '1.000030 × 10¹⁵'],
    ],
  ]
  for (const [title, [least, greatest], wanted] of cases) {
    it(`${title}: ${least} to ${greatest}`, () => assert.deepEqual(labels(least, greatest), wanted))
  }

  it('whatever the values, all are on the axis, and no two labels are the same', () => {
    const sizes = [1e-300, 1e-12, 1e-7, 0.001, 1, 7.3, 999, 1_235_590, 1e9, 4.2e12, 1e20, 1e300, 8e307]
    for (const size of sizes) {
      for (const span of [0, 1e-15, 1e-9, 0.001, 0.5, 1, 1.2]) {
        for (const sign of [1, -1]) {
          const [least, greatest] = [size * sign, size * sign + size * span].sort((a, b) => a - b) as [number, number]
          const { min, max, ticks } = valueAxis(least, greatest, 6)
          const about = `${least} to ${greatest}: ${ticks.map(({ label }) => label)}`
          assert.ok(min <= least && greatest <= max && min < max, about)
          assert.ok(ticks.length >= 2 && ticks.length <= 9, about)
          assert.equal(new Set(ticks.map(({ label }) => label)).size, ticks.length, about)
          assert.ok(
            ticks.every(({ value }) => Number.isFinite(value)),
            about,
          )
        }
      }
    }
  })
})

describe('the axis of times', () => {
  const at = (...date: [number, number, number, number?, number?, number?]) => new Date(...date).getTime() / 1000
  const ticks = (from: number, to: number, max = 8) => timeTicks(from, to, max).map(({ label }) => label)

  it('has seconds, minutes, hours or days, and names the day at midnight', () => {
    const start = at(2026, 2, 3, 21, 58, 0)
    assert.deepEqual(ticks(start, start + 40), [
      '21:58:00',
      '21:58:05',
      '21:58:10',
      '21:58:15',
      '21:58:20',
      '21:58:25',
      '21:58:30',
      '21:58:35',
      '21:58:40',
    ])
    assert.deepEqual(ticks(start, start + 3_600, 4), ['22:00', '22:15', '22:30', '22:45'])
    assert.deepEqual(ticks(start, start + 86_400), [
      '4 Mar',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
      '15:00',
      '18:00',
      '21:00',
    ])
    assert.deepEqual(ticks(start, start + 7 * 86_400), ['4 Mar', '5 Mar', '6 Mar', '7 Mar', '8 Mar', '9 Mar', '10 Mar'])
    assert.deepEqual(ticks(start, start + 30 * 86_400, 5), ['9 Mar', '16 Mar', '23 Mar', '30 Mar'])
  })

  it('never more than fit, in order, and all within the range', () => {
    for (const span of [1, 59, 600, 5_000, 86_400, 400_000, 3e6, 4e7, 4e8]) {
      const from = at(2026, 9, 24, 13, 7, 11)
      const all = timeTicks(from, from + span, 6).map((tick) => tick.at)
      assert.ok(all.length <= 8, `${span}: ${all.length}`)
      assert.deepEqual(
        all,
        [...new Set(all)].sort((a, b) => a - b),
      )
      assert.ok(all.every((time) => time >= from && time <= from + span))
    }
  })

  it('a range that moves keeps its ticks', () => {
    const from = at(2026, 2, 3, 21, 58, 0)
    const first = timeTicks(from, from + 30 * 86_400, 5)
    const later = timeTicks(from + 86_400, from + 31 * 86_400, 5)
    assert.deepEqual(later.filter((tick) => first.some((other) => other.at === tick.at)).length, first.length)
  })
})

describe('gaps', () => {
  const every = (seconds: number, times: number, start = 0): ChartPoint[] =>
    Array.from({ length: times }, (_, index) => [start + index * seconds, 1] as const)

  it('19 hours without a value break the line; a late message does not', () => {
    const points = [...every(300, 20), ...every(300, 20, 20 * 300 + 19 * 3_600)]
    assert.equal(gapOf(points), 1_500)
    const { at, values } = withGaps(points, gapOf(points))
    assert.equal(values.filter((value) => value === null).length, 1)
    assert.deepEqual(
      at,
      [...at].sort((a, b) => a - b),
    )
    assert.equal(withGaps([...every(300, 20), [20 * 300 + 900, 1]], 1_500).values.includes(null), false)
  })

  it('two points far apart are joined, three with one gap are not', () => {
    assert.equal(withGaps(every(68_400, 2), gapOf(every(68_400, 2))).values.includes(null), false)
    const three: ChartPoint[] = [...every(300, 2), [68_400, 1]]
    assert.equal(withGaps(three, gapOf(three)).values.includes(null), true)
    assert.equal(gapOf([[1, 1]]), Number.POSITIVE_INFINITY)
  })

  it('the nearest point within reach is found', () => {
    const points = every(10, 5)
    assert.equal(nearestPoint(points, 14, 5)?.[0], 10)
    assert.equal(nearestPoint(points, 16, 5)?.[0], 20)
    assert.equal(nearestPoint(points, 60, 5), null)
    assert.equal(nearestPoint(points, -3, 5)?.[0], 0)
    assert.equal(nearestPoint([], 1, 5), null)
  })
})

describe('panels', () => {
  it('one axis per unit, one for each series without a unit, two axes per panel', () => {
    const series = [
      { label: 'temperature', unit: '°C' },
      { label: 'count' },
      { label: 'setpoint', unit: '°C' },
      { label: 'energy', unit: 'kWh' },
      { label: 'a', axis: 'both' },
      { label: 'b', axis: 'both' },
    ]
    const names = panelsOf(series, 2).map((panel) => panel.map((group) => group.series.map(({ label }) => label)))
    assert.deepEqual(names, [
      [['temperature', 'setpoint'], ['count']],
      [['energy'], ['a', 'b']],
    ])
    assert.deepEqual(panelsOf([], 2), [])
  })
})

describe('shares and durations', () => {
  it('are never more than they are', () => {
    assert.deepEqual([1, 0, 0.999999, 0.00001, 0.98769].map(formatShare), ['100%', '0%', '99.99%', '0.01%', '98.76%'])
    assert.equal(formatDuration(86_401), '1 d', 'no seconds beside days')
    assert.equal(formatDuration(-5), '0 s')
    assert.deepEqual([0, 8, 61, 3_600, 90_061, 864_000].map(formatDuration), [
      '0 s',
      '8 s',
      '1 min 1 s',
      '1 h',
      '1 d 1 h',
      '10 d',
    ])
  })
})

describe('the range in the address', () => {
  const read = (address: string) => readTimeRange(new URLSearchParams(address), '1h')

  it('is one of the last ranges or two instants; anything else is the default', () => {
    assert.deepEqual(read('range=7d'), { last: 604_800 })
    assert.deepEqual(read('from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z'), { from: 1772323200, to: 1772409600 })
    for (const address of [
      '',
      'range=9y',
      'from=x&to=y',
      'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
      'from=2026-03-02T00:00:00Z',
    ]) {
      assert.deepEqual(read(address), { last: 3_600 }, address)
    }
    const { from, to } = spanOf(read('from=-200000-01-01T00:00:00Z&to=%2B200000-01-01T00:00:00Z'))
    assert.ok(from > 0 && to < Date.UTC(10_000, 0) / 1000, 'only what the service understands')
  })

  it('is written as it is read, keeps the rest of the address, and is never empty', () => {
    const search = new URLSearchParams('tab=status&range=7d')
    writeTimeRange(search, { from: 1772323200, to: 1772323200.25 }, '1h')
    assert.equal(search.get('tab'), 'status')
    assert.equal(search.get('range'), null)
    const { from, to } = spanOf(readTimeRange(search, '1h'))
    assert.equal(to - from, 1)
    writeTimeRange(search, { last: 3_600 }, '1h')
    assert.equal(search.toString(), 'tab=status')
    writeTimeRange(search, { last: 86_400 }, '1h')
    assert.equal(search.toString(), 'tab=status&range=24h')
  })
})
