import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addressKey } from './address-key.ts'

const table = [
  ['203.0.113.9', '203.0.113.9', 'IPv4 is itself'],
  ['::ffff:203.0.113.9', '203.0.113.9', 'IPv4 on a dual-stack socket is the same caller'],
  ['::FFFF:cb00:7109', '203.0.113.9', 'in whatever spelling'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'IPv6 by /64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64', 'in whatever spelling'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64', 'the next /64 is another caller'],
  ['::1', '0:0:0:0::/64', 'loopback'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'the zone is ours, not the caller’s'],
  ['nonsense:', 'nonsense:', 'what is no address stays as it is'],
] as const

for (const [address, key, why] of table) {
  it(`8 a limit counts ${address} as ${key}: ${why}`, () => assert.equal(addressKey(address), key))
}
