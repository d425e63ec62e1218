import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deliverySlots } from '../../platform/own-limits.ts'
import { isLimited } from './slots.ts'

/** In partition 3 unless it is told otherwise. */
const busy = (count: number, more: { partner?: string; endpoint?: string; type?: string; by_person?: boolean } = {}) =>
  Array.from({ length: count }, () => ({
    partner_id: more.partner ?? 'acme',
    endpoint_id: more.endpoint ?? 'endpoint-3',
    type: more.type ?? 'device.online',
    by_person: more.by_person ?? false,
  }))
const ofTypes = (count: number, endpoint: string) =>
  Array.from({ length: count }, (_, index) => busy(1, { endpoint, type: `type ${index}` })[0]!)
const partners = (count: number) =>
  Array.from({ length: count }, (_, index) => busy(1, { partner: `partner ${index}`, endpoint: `${index}-3` })[0]!)

describe('decision 8.10: whether due deliveries may have been left behind', () => {
  it('128 at once, 16 of a partner, 6 of an endpoint, 4 of an event type, 2 by a person', () => {
    assert.deepEqual(deliverySlots, { total: 128, spare: 128, perPartner: 16, perEndpoint: 6, perType: 4, byPerson: 2 })
  })

  for (const [title, inProgress, expected] of [
    ['none', [], false],
    ['three of a type', busy(3), false],
    ['four of a type', busy(4), true],
    ['four of a type of an endpoint in another partition', busy(4, { endpoint: 'endpoint-4' }), false],
    ['five of an endpoint', ofTypes(5, '0-3'), false],
    ['six of an endpoint', ofTypes(6, '0-3'), true],
    ['15 of a partner', [...ofTypes(5, '0-3'), ...ofTypes(5, '1-3'), ...ofTypes(5, '2-3')], false],
    ['16 of a partner', [...ofTypes(5, '0-3'), ...ofTypes(5, '1-3'), ...ofTypes(5, '2-3'), ...ofTypes(1, '4-3')], true],
    ['127 of as many partners', partners(127), false],
    [
      '128 of as many partners, in whatever partition',
      partners(128).map((each) => ({ ...each, endpoint_id: '5' })),
      true,
    ],
    ['one by a person', busy(1, { by_person: true }), false],
    ['two by a person', busy(2, { by_person: true }), true],
    [
      'one by a person at each of two endpoints',
      [...busy(1, { by_person: true }), ...busy(1, { by_person: true, endpoint: 'b-3' })],
      false,
    ],
    ['three of a type and one by a person', [...busy(3), ...busy(1, { by_person: true })], false],
    ['four of a type at two endpoints', [...busy(2), ...busy(2, { endpoint: 'b-3' })], false],
  ] as const) {
    it(`${title} → ${expected}`, () => assert.equal(isLimited(inProgress, 3), expected))
  }
})
