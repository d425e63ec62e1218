// The table of normative statements against Mosquitto, from Debian's mosquitto: where 2.0.11 differs, the table says so, and
// a later one may do either.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { findMosquitto, startMosquitto } from '../../bench/mqtt/mosquitto.ts'
import { exchange } from '../support/mqtt-conformance/exchange.ts'
import { rows } from '../support/mqtt-conformance/rows.ts'

const program = findMosquitto()
assert.ok(program, 'Mosquitto is not installed: apt install mosquitto')
const { port, stop } = await startMosquitto(program)
after(stop)

for (const version of [4, 5] as const) {
  describe(`Mosquitto and MQTT ${version === 4 ? '3.1.1' : '5'}`, { concurrency: 8 }, () => {
    for (const [index, row] of rows.entries()) {
      if (!row.clause[version] || row.ours || row.mosquitto?.[version]) continue
      const expected = row.expected[version]!.split(', ').at(-1)
      it(`[MQTT-${row.clause[version]}] ${row.what} → ${expected}`, async () => {
        const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
        const device = { id: `row-${version}-${index}`, access_key: 'any' }
        const came = await exchange(socket, row, device, version)
        assert.equal(came.split(', ').at(-1), expected, came)
      })
    }
  })
}
