import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AddressRanges } from './address-ranges.ts'

describe('address ranges', () => {
  const ranges = new AddressRanges(['192.0.2.0/24', '203.0.113.7', '2001:db8::/32', '2001:db9::1'])

  for (const address of [
    '192.0.2.1',
    '203.0.113.7',
    '::ffff:192.0.2.1',
    '::FFFF:c000:0201',
    '2001:db8:1::1',
    '2001:db9::1',
    '0:0:0:0:0:ffff:c000:02ff',
    '0000:0000::FFFF:cb00:7107',
  ]) {
    it(`${address} is in one of them`, () => assert.equal(ranges.has(address), true))
  }

  for (const address of [
    '192.0.3.1',
    '203.0.113.8',
    '::ffff:192.0.3.1',
    '2001:db9::2',
    '::1',
    '',
    'unknown',
    '192.0.2',
    '192.0.2.1:80',
    '[2001:db8::1]',
    '1::ffff:192.0.2.1',
    '::ffff:192.0.2.1.5',
    '1:0:0:0:0:ffff:c000:201',
    '0:0:0:0:0:ffff:c000:201:1',
    '::ffff:c001:201',
    '::ffff:c000:301',
    '::ffff:0c000:201',
    '::ffff:c000:00201',
  ]) {
    it(`"${address}" is in none`, () => assert.equal(ranges.has(address), false))
  }

  it('a missing address is in none', () => assert.equal(ranges.has(undefined), false))

  it('an IPv4 address is in no range of IPv6, and the other way round', () => {
    assert.equal(new AddressRanges(['::/0']).has('192.0.2.1'), false)
    assert.equal(new AddressRanges(['0.0.0.0/0']).has('2001:db8::1'), false)
  })
})
