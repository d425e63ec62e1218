import assert from 'node:assert/strict'
import { it } from 'node:test'
import { limitAddress } from './client-address.ts'

for (const [ip, expected] of [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['1:2::', '1:2:0:0::/64'],
  ['::2:3:4:5:6:7', '0:0:2:3::/64'],
  ['1::ffff:203.0.113.7', '1:0:0:0::/64'],
  ['::ffff:203.0.113.7.x', '::ffff:203.0.113.7.x'],
] as const) {
  it(`decision 6.23: limits count ${ip} as ${expected}`, () => assert.equal(limitAddress(ip), expected))
}
