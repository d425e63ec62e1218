// The normative statements of both standards, one exchange of bytes each: test/support/mqtt-conformance has the table.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connect } from 'node:tls'
import { newModel, register } from './support/devices.ts'
import { startHarness } from './support/harness.ts'
import { startListener } from './support/mqtt.ts'
import { clausesOf, notApplicable, shownElsewhere } from './support/mqtt-conformance/clauses.ts'
import { exchange } from './support/mqtt-conformance/exchange.ts'
import { rows } from './support/mqtt-conformance/rows.ts'

const service = await startHarness()
const { port } = await startListener(service.context)
const model = await newModel(service)

for (const version of [4, 5] as const) {
  const named = version === 4 ? 'MQTT 3.1.1' : 'MQTT 5'

  describe(`${named}, by its normative statements`, { concurrency: 8 }, () => {
    for (const row of rows.filter(({ clause }) => clause[version])) {
      it(`[MQTT-${row.clause[version]}] ${row.what} → ${row.expected[version]}`, async () => {
        const device = await register(service, model)
        const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
        assert.equal(await exchange(socket, row, device, version), row.expected[version])
      })
    }
  })

  it(`${named}: every normative statement has a row, a test of its own, or a reason`, async () => {
    const inRows = rows.flatMap(({ clause }) => clause[version] ?? [])
    const others = Object.keys(shownElsewhere[version])
    const reasons = notApplicable[version].flatMap(([, ...clauses]) => clauses)
    const covered = [...new Set(inRows), ...others, ...reasons]
    assert.deepEqual(covered.toSorted(), clausesOf(version).toSorted())
    for (const [file, title] of Object.values(shownElsewhere[version])) {
      assert.ok(
        (await readFile(join(import.meta.dirname, '../server/src/devices/mqtt', file), 'utf8')).includes(title),
        `${file}: ${title}`,
      )
    }
  })
}
