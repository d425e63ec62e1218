// The alert rules and the metrics as Prometheus sees them: promtool, from Debian's package prometheus.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startHarness } from '../support/harness.ts'
import { operatorKey } from '../support/keys.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

function promtool(args: string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 0, `promtool ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`)
  return `${stdout}${stderr}`
}

describe('Prometheus', () => {
  it('reads the alert rules', () => {
    assert.match(promtool(['check', 'rules', path('../../deploy/prometheus-alerts.yaml')]), /SUCCESS: \d\d rules found/)
  })

  it('fires the alerts when it should, and only then', () => {
    assert.match(promtool(['test', 'rules', path('alerts.yaml')]), /SUCCESS/)
  })

  it('finds nothing against its conventions in the metrics of Landbridge', async () => {
    const { app } = await startHarness()
    const { body } = await app.inject({ url: '/metrics', headers: { authorization: operatorKey } })
    const own = body.split('\n').filter((line) => /^(# \w+ )?landbridge_/.test(line))
    assert.ok(own.length > 100)
    assert.equal(promtool(['check', 'metrics'], `${own.join('\n')}\n`), '')
  })
})
