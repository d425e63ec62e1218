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
import { iso, lastRanges, readTimeRange, spanOf, writeTimeRange } from '../../portal/src/components/chart/time-range.ts'
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

  it('no more ticks than fit, one more where the range begins or ends between two', () => {
    const steps = (least: number, greatest: number, max: number) => {
      const { min, max: end, ticks } = valueAxis(least, greatest, max)
      return [min, end, ...ticks.map(({ value }) => value)]
    }
    assert.deepEqual(steps(0, 6, 6), [0, 6, 0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(steps(0, 10, 1), [0, 10, 0, 10])
    assert.deepEqual(steps(0.5, 6, 6), [0, 6, 0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(steps(0, 4, 2), [0, 4, 0, 2, 4])
    assert.deepEqual(steps(0, 5, 2), [0, 5, 0, 2.5, 5])
    assert.deepEqual(steps(0, 6, 2), [0, 10, 0, 5, 10])
    assert.deepEqual(steps(0, 11, 2), [0, 20, 0, 10, 20])
    assert.deepEqual(
      steps(-1e-20, -1e-20, 2)
        .slice(0, 2)
        .map((value) => value < 0),
      [true, true],
    )
  })

  it('an exponent from a million million on, and for steps below a millionth', () => {
    assert.equal(labels(0, 999_999_999_990).at(-1), '1.0 × 10¹²')
    assert.equal(labels(0, 9e11).at(-1), '1.0 × 10¹²')
    assert.equal(labels(0, 8e11).at(-1), '800,000,000,000')
    assert.deepEqual(labels(0, 5e-6), ['0.000000', '0.000001', '0.000002', '0.000003', '0.000004', '0.000005'])
    assert.deepEqual(labels(0, 2.5e-6).at(-1), '2.5 × 10⁻⁶')
  })

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

  const minute = 60
  const hour = 3_600
  const day = 86_400

  it('steps are those that a clock or a calendar has', () => {
    const midnight = at(2026, 2, 2)
    const steps = [
      ...[1, 2, 5, 10, 15, 30],
      ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
      ...[1, 2, 3, 6, 12].map((count) => count * hour),
      ...[1, 2, 3, 7, 14, 28].map((count) => count * day),
    ]
    for (const step of steps) {
      // As many as fit, and hardly more, which needs the next one.
      const found = timeTicks(midnight, midnight + 4 * step, 4).map((tick) => tick.at)
      assert.ok(
        found.length > 0 && found.every((time, index) => index === 0 || time - found[index - 1]! === step),
        `${step}`,
      )
      if (step < day)
        assert.deepEqual(
          found,
          [0, 1, 2, 3, 4].map((count) => midnight + count * step),
        )
    }
    for (const [index, step] of steps.slice(0, -1).entries()) {
      const [first, second] = timeTicks(midnight, midnight + 4 * step + 4, 4)
      if (second) assert.equal(second.at - first!.at, steps[index + 1], `above ${step}`)
    }
  })

  it('long ranges are counted in weeks, and show the year', () => {
    const from = at(2026, 0, 1)
    for (const weeks of [13, 26, 52, 104, 260]) {
      const found = timeTicks(from, from + 4 * weeks * 7 * day, 4)
      const days = found.map((tick) => Math.round((tick.at - found[0]!.at) / day))
      assert.deepEqual(days, [0, 1, 2, 3].map((count) => count * weeks * 7).slice(0, found.length), `${weeks}`)
      assert.match(found[0]!.label, /^\d+ \w+ \d\d$/)
    }
    assert.match(timeTicks(from, from + 4 * 28 * day, 4)[0]!.label, /^\d+ \w+$/)
    const centuries = timeTicks(from, from + 200 * 365 * day, 4)
    assert.equal(Math.round((centuries[1]!.at - centuries[0]!.at) / day), 1820, 'no step is longer')
    assert.equal(timeTicks(from, from + 10, 0).length, 2, 'at least one')
  })

  it('days begin on Mondays, wherever the range begins', () => {
    for (const date of [2, 3, 8]) {
      const [first] = timeTicks(at(2026, 2, date, 0), at(2026, 2, date + 28), 4)
      assert.equal(new Date(first!.at * 1000).getDay(), 1, `${date}`)
    }
  })

  it('both ends of the range may have a tick', () => {
    const midnight = at(2026, 2, 3)
    assert.deepEqual(ticks(midnight, midnight + 4 * day, 4), ['3 Mar', '4 Mar', '5 Mar', '6 Mar', '7 Mar'])
    assert.deepEqual(ticks(midnight, midnight + day, 2), ['3 Mar', '12:00', '4 Mar'])
    assert.deepEqual(ticks(midnight - 30, midnight + 30, 2), ['23:59:30', '3 Mar', '00:00:30'])
    assert.deepEqual(ticks(midnight - 60, midnight + 60, 2), ['23:59', '3 Mar', '00:01'])
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

  it('a gap is longer than five times the usual distance, and the line breaks in its middle', () => {
    assert.equal(
      gapOf([
        [0, 1],
        [10, 1],
        [20, 1],
        [1_000, 1],
      ]),
      50,
    )
    assert.equal(
      gapOf([
        [0, 1],
        [10, 1],
        [1_000, 1],
        [2_000, 1],
        [2_005, 1],
      ]),
      50,
      'the lower of two in the middle',
    )
    const points: ChartPoint[] = [
      [0, 1],
      [50, 2],
      [101, 3],
    ]
    assert.deepEqual(withGaps(points, 50), { at: [0, 50, 75.5, 101], values: [1, 2, null, 3] })
  })

  it('the nearest point within reach is found', () => {
    const points = every(10, 5)
    assert.equal(nearestPoint(points, 14, 5)?.[0], 10)
    assert.equal(nearestPoint(points, 16, 5)?.[0], 20)
    assert.equal(nearestPoint(points, 60, 5), null)
    assert.equal(nearestPoint(points, 45, 5)?.[0], 40)
    assert.equal(nearestPoint(points, 45.1, 5), null)
    assert.equal(nearestPoint(points, 20, 0)?.[0], 20)
    assert.equal(nearestPoint(points, 15, 5)?.[0], 10, 'the earlier of two')
    assert.equal(nearestPoint(points, 2, 5)?.[0], 0)
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
    const axes = panelsOf([{ label: 'a' }, { label: 'b', unit: '' }, { label: 'a', unit: 'a' }], 2).map(
      (panel) => panel.length,
    )
    assert.deepEqual(axes, [2, 1])
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
    assert.deepEqual(
      lastRanges.map(({ value, label, seconds }) => [value, label, seconds]),
      [
        ['15m', '15 min', 15 * 60],
        ['1h', '1 h', 3_600],
        ['24h', '24 h', 86_400],
        ['7d', '7 d', 7 * 86_400],
        ['30d', '30 d', 30 * 86_400],
      ],
    )
    const sameInstant = 'from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z'
    assert.deepEqual(readTimeRange(new URLSearchParams(sameInstant), '7d'), { last: 604_800 })
    assert.deepEqual(read('from=1970-01-01T00:00:00Z&to=9999-12-31T00:00:00Z'), {
      from: Date.parse('1970-01-02T00:00:00Z') / 1000,
      to: Date.parse('9999-01-01T00:00:00Z') / 1000,
    })
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
    writeTimeRange(search, { from: 1772323200, to: 1772323200 }, '1h')
    assert.equal(search.toString(), 'tab=status&from=2026-02-28T23%3A59%3A59.500Z&to=2026-03-01T00%3A00%3A00.500Z')
    writeTimeRange(search, { from: -1e12, to: 1e12 }, '1h')
    assert.deepEqual([search.get('from'), search.get('to')], ['1970-01-02T00:00:00.000Z', '9999-01-01T00:00:00.000Z'])
  })

  it('the last so many seconds end now', () => {
    assert.deepEqual(spanOf({ last: 900 }, 1_000), { from: 100, to: 1_000 })
    assert.deepEqual(spanOf({ from: 1, to: 2 }, 1_000), { from: 1, to: 2 })
    const { to } = spanOf({ last: 900 })
    assert.ok(Math.abs(to - Date.now() / 1000) < 5)
    assert.equal(iso(1772323200.5), '2026-03-01T00:00:00.500Z')
  })
})
