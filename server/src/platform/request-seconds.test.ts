import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { requestSeconds } from './request-seconds.ts'

describe('request seconds', () => {
  it('reads as the histogram of prom-client would', async () => {
    const registry = new Registry()
    const ours = requestSeconds(registry)
    const reference = new Registry()
    const theirs = new Histogram({
      name: 'landbridge_http_request_seconds',
      help: 'Time from a request to its answer, by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [reference],
    })
    // Powers of two, so that sums are exact in any order; the bounds themselves are within.
    for (const seconds of [0, 2 ** -10, 0.25, 0.5, 1, 4, 16]) {
      ours.of('/users/:id')('GET', 200, seconds)
      theirs.observe({ method: 'GET', route: '/users/:id', status: 200 }, seconds)
    }
    ours.of('none')('POST', 404, 0.5)
    theirs.observe({ method: 'POST', route: 'none', status: 404 }, 0.5)
    assert.equal(await registry.metrics(), await reference.metrics())
  })
})
