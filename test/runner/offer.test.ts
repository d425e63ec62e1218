import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { ask, offer } from './offer.ts'

it('what is offered starts when the first asks, and once for all who ask at the same time', async () => {
  let starts = 0
  const { path, get } = await offer(await mkdtemp(join(tmpdir(), 'landbridge-offer-')), 'something', async () => {
    starts += 1
    return `start ${starts}`
  })
  assert.equal(starts, 0)
  assert.deepEqual(new Set(await Promise.all([ask(path), ask(path), get(), ask(path)])), new Set(['start 1']))
  assert.equal(await ask(path), 'start 1')
})
