import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Metric, mergeReports } from './merge-metrics.ts'
import { createMetrics } from './metrics.ts'

const metric = (type: string, aggregator: string | undefined, ...values: number[]): Metric => ({
  ...{ name: 'test', help: 'Help.', type, ...(aggregator ? { aggregator } : {}) },
  values: values.map((value, index) => ({ labels: { series: index }, value })),
})

const merged = (one: Metric, other: Metric) => mergeReports([[one], [other]])[0]!.values.map(({ value }) => value)

describe('metrics of several processes', () => {
  const table: [string, string | undefined, number][] = [
    ['counter', undefined, 5],
    ['histogram', undefined, 5],
    ['gauge', undefined, 5],
    ['gauge', 'sum', 5],
    ['gauge', 'max', 3],
    ['gauge', 'average', 3],
    ['gauge', 'min', 2],
    ['gauge', 'omit', 2],
    ['gauge', 'first', 2],
    ['counter', 'max', 5],
    ['histogram', 'min', 5],
  ]
  for (const [type, aggregator, expected] of table) {
    it(`${type}${aggregator ? ` by ${aggregator}` : ''}: 2 and 3 are ${expected}`, () => {
      assert.deepEqual(merged(metric(type, aggregator, 2), metric(type, aggregator, 3)), [expected])
    })
  }

  it('a series that only one process has stays, in whatever order labels are named', () => {
    assert.deepEqual(merged(metric('counter', undefined, 1), metric('counter', undefined, 1, 7)), [2, 7])
    const one = { ...metric('counter', undefined), values: [{ labels: { a: 'x', b: 'y' }, value: 1 }] }
    const other = { ...metric('counter', undefined), values: [{ labels: { b: 'y', a: 'x' }, value: 2 }] }
    assert.deepEqual(merged(one, other), [3])
  })

  it('of gauges, in either order; series of another name or with other labels stay apart', () => {
    for (const [aggregator, expected] of [
      ['max', 3],
      ['min', 2],
      ['omit', 2],
    ] as const)
      assert.deepEqual(merged(metric('gauge', aggregator, 3), metric('gauge', aggregator, 2)), [expected])
    const named = (metricName: string, labels: Record<string, string>) => {
      return { ...metric('histogram', undefined), values: [{ metricName, labels, value: 1 }] }
    }
    assert.deepEqual(merged(named('a_sum', {}), named('a_count', {})), [1, 1])
    assert.deepEqual(merged(named('a', { b: 'x' }), named('a', { b: 'y' })), [1, 1])
    assert.deepEqual(merged(named('a', { c: '1', b: '2', a: '3' }), named('a', { b: '2', a: '3', c: '1' })), [2])
  })

  it('what is no number is left out', () => {
    assert.deepEqual(merged(metric('gauge', 'max', Number.NaN), metric('gauge', 'max', 3)), [3])
    const viaMessage = JSON.parse(JSON.stringify(metric('gauge', 'sum', Number.POSITIVE_INFINITY)))
    assert.deepEqual(merged(metric('gauge', 'sum', 3), viaMessage), [3])
  })

  it('the text of two processes has the sums of both, after a message between them', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    for (const [metrics, length] of [
      [one, 2],
      [other, 3],
    ] as const) {
      metrics.gauge('test_length', 'Help.', () => length)
    }
    const report = JSON.parse(JSON.stringify(await other.report('all')))
    assert.match(await one.text([report]), /^test_length 5$/m)
    assert.match(await one.text([]), /^test_length 2$/m)
    assert.deepEqual(
      (await other.report('counted')).map(({ name }) => name),
      ['landbridge_http_request_seconds'],
    )
  })
})
