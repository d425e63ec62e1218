import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventTitle, type Reader, sentenceOf, wordings } from '../../portal/src/components/audit-sentences.ts'
import { auditEventTypes } from '../../server/src/events/audit-types.ts'

const reader: Reader = {
  names: { s1: 'Floor 2', u1: 'Ben Okri', g1: 'Facility team', a1: 'Acme Cloud', m1: 'Sensor' },
  auditLog: '/log',
  pageOf: (thing, id) => (thing === 'partner' ? undefined : `/${thing}/${id}`),
}

describe('a line of the audit log', () => {
  const device = { device_id: 'd1', details: { sn: '7', name: 'Meter 7', space_id: 's1' } }
  const cases: [string, object, string][] = [
    ['device.claimed', device, 'claimed [Meter 7](/device/d1) into [Floor 2](/space/s1)'],
    ['device.claimed', { device_id: 'd1', details: { sn: '7', name: null } }, 'claimed [device 7](/device/d1)'],
    ['device.removed', device, 'removed Meter 7'],
    [
      'device.changed',
      { ...device, details: { name: 'M', fields: ['name', 'space_id'] } },
      'changed the name and space of [M](/device/d1)',
    ],
    [
      'group.member_added',
      { details: { user_id: 'u1', group_id: 'g1' } },
      'added [Ben Okri](/user/u1) to [Facility team](/group/g1)',
    ],
    ['grant.revoked', { application_id: 'a1' }, 'disconnected [Acme Cloud](/application/a1)'],
    ['grant.revoked', { application_id: 'a1', actor: { kind: 'application', id: 'a1' } }, 'disconnected itself'],
    ['partner.created', { partner_id: 'p1' }, 'created a partner'],
    ['member.invited', { details: { email: 'cy@example.com' } }, 'invited cy@example.com'],
    ['customer.renamed', {}, 'renamed a customer'],
    ['retired.type', {}, 'Retired type'],
  ]
  for (const [type, parts, text] of cases) {
    it(text, () => {
      const event = {
        ...{ id: 'e1', type, at: '2026-11-16T00:00:00Z', actor: { kind: 'operator' } },
        ...{ details: {} },
        ...parts,
      }
      const pieces = sentenceOf(event as Parameters<typeof sentenceOf>[0], reader)
      assert.equal(pieces.map((piece) => (piece.to ? `[${piece.text}](${piece.to})` : piece.text)).join(''), text)
    })
  }

  it('has words for exactly the types that the service writes', () => {
    assert.deepEqual(Object.keys(wordings).sort(), auditEventTypes)
    assert.equal(eventTitle('grant.opened'), 'App connected')
  })
})
