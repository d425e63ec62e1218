import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseClaimLines } from '../../portal/src/customer/claim-lines.ts'

const mac = '00:1b:44:11:3a:b7'

it('a hundred thousand lines, or one that never ends, take no time', () => {
  const began = process.cpuUsage()
  assert.equal(parseClaimLines(`${mac},"S1\n`.repeat(100_000)).length, 100_000)
  assert.equal(parseClaimLines(`mac,sn\n${mac},${'"'.repeat(300_001)}`).length, 1)
  const { user, system } = process.cpuUsage(began)
  assert.ok(user + system < 20_000_000, `${(user + system) / 1000} ms`)
})
