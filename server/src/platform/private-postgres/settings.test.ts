import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings, memoryOf } from './settings.ts'

const gigabyte = 1024 ** 3
const noLimit = 2 ** 64 // what a kernel reports for a group without a limit

test('the private Postgres sizes its cache by the memory limit of its container, not by the machine', () => {
  for (const { machine, limit, cache } of [
    { machine: 64 * gigabyte, limit: noLimit / 2, cache: '1024MB' },
    { machine: 64 * gigabyte, limit: 0, cache: '1024MB' },
    { machine: 64 * gigabyte, limit: noLimit, cache: '1024MB' },
    { machine: 64 * gigabyte, limit: 2 * gigabyte, cache: '256MB' },
    { machine: 64 * gigabyte, limit: gigabyte / 2, cache: '128MB' },
    { machine: 4 * gigabyte, limit: 8 * gigabyte, cache: '512MB' },
  ]) {
    const { shared_buffers } = defaultSettings(memoryOf({ machine, limit }))
    assert.equal(shared_buffers, cache, `${machine} bytes, limit ${limit}`)
  }
})

test('the log of the private Postgres has no statements and no values of rows', () => {
  const { shared_buffers, ...rest } = defaultSettings(gigabyte)
  assert.equal(shared_buffers, '128MB')
  assert.deepEqual(rest, {
    max_connections: '100',
    ...{ max_wal_size: '2GB', min_wal_size: '256MB', wal_buffers: '16MB', checkpoint_timeout: '15min', jit: 'off' },
    ...{ log_min_messages: 'warning', log_min_error_statement: 'panic', log_error_verbosity: 'terse' },
    ...{ log_checkpoints: 'off', log_line_prefix: '' },
  })
})
