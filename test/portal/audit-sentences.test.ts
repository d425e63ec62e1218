import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupEvents } from '../../portal/src/components/audit/audit-groups.ts'
import {
  eventTitle,
  type Reader,
  sentenceOf,
  sentenceOfMany,
  wordings,
} from '../../portal/src/components/audit/audit-sentences.ts'
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
    [
      'command.created',
      { device_id: 'd1', details: { name: 'restart' } },
      'sent the command restart to [a device](/device/d1)',
    ],
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
    ['retired.old_type', {}, 'Retired old type'],
    ['application.changed', {}, 'changed an application'],
    ['application.changed', { application_id: 'a9' }, 'changed [an application](/application/a9)'],
    ['device.changed', { device_id: 'd1', details: { fields: [] } }, 'changed settings of [a device](/device/d1)'],
    [
      'device.changed',
      { device_id: 'd1', details: { fields: ['tags'] } },
      'changed the tags of [a device](/device/d1)',
    ],
    ['device.changed', { device_id: 'd1', details: null }, 'changed settings of [a device](/device/d1)'],
    ['group.deleted', { details: { group_id: 'g9', name: 'Night' } }, 'deleted Night'],
    ['group.created', {}, 'created the group a group'],
    ['space.created', {}, 'created a space'],
    ['member.removed', {}, 'removed a user'],
    ['member.removed', { details: { user_id: 'u9', name: 'Not of a user' } }, 'removed [a user](/user/u9)'],
    ['application.removed_there', { partner_id: 'p1' }, 'Application removed there'],
    ['api_key.created', { details: { name: 'Import' } }, 'created the API key Import'],
    ['api_key.created', { details: { name: 7 } }, 'created the API key'],
    [
      'partner_member.removed',
      { partner_id: 'p1', details: { user_id: 'u1' } },
      'removed [Ben Okri](/user/u1) from a partner',
    ],
    [
      'presentation_change.requested',
      { application_id: 'a1', details: { fields: ['home_page', 'name'] } },
      'asked to change the home page and name of [Acme Cloud](/application/a1)',
    ],
    [
      'application_request.requested',
      { details: { name: 'Acme Desk', redirect_uris: ['https://a.test/'], requested_permissions: ['devices: read'] } },
      'asked for the application Acme Desk',
    ],
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
    for (const [type, { title, did, many }] of Object.entries(wordings)) {
      assert.match(title, /^[A-Z].*[a-z]$/, type)
      // A verb, or the detail that is one.
      assert.match(did, /^([a-z]+|\{change\})( |$)/, type)
      if (many !== undefined) assert.match(many, /^[a-z]+( |$)/, type)
    }
  })

  it('one act is one line: neighbours of one type, actor and minute; devices that do the same; nothing else', () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 10, 16) - seconds * 1000).toISOString()
    const ada = { kind: 'user', id: 'u1' }
    const lines = (events: [type: string, actor: object, secondsAgo: number][]) =>
      groupEvents(
        events.map(([type, actor, seconds], n) => ({
          id: `${n}`,
          type,
          actor,
          at: at(seconds),
          details: {},
        })) as Event[],
      ).map((group) => (group.length === 1 ? group[0]!.type : sentenceOfMany(group[0]!, String(group.length))))
    type Event = Parameters<typeof sentenceOf>[0]
    const claims = (from: number, count: number, actor = ada) =>
      Array.from({ length: count }, (_, n) => ['device.claimed', actor, from + n] as [string, object, number])
    assert.deepEqual(lines(claims(0, 100)), ['claimed 100 devices'])
    assert.deepEqual(lines(claims(0, 2)), ['device.claimed', 'device.claimed'])
    assert.deepEqual(
      lines([...claims(0, 3), ...claims(3, 3, { kind: 'user', id: 'u2' })]),
      Array(2).fill('claimed 3 devices'),
    )
    assert.deepEqual(lines([...claims(0, 3), ...claims(90, 3)]), Array(2).fill('claimed 3 devices'))
    assert.deepEqual(lines([...claims(0, 3), ...claims(62, 3)]), ['claimed 6 devices'])
    assert.deepEqual(lines([...claims(0, 3), ...claims(62.001, 3)]), Array(2).fill('claimed 3 devices'))
    const operator = { kind: 'operator' }
    assert.deepEqual(
      lines([...claims(0, 3), ...claims(3, 3, operator as typeof ada)]),
      Array(2).fill('claimed 3 devices'),
    )
    assert.deepEqual(lines([...claims(0, 3), ['api_key.created', ada, 4], ...claims(5, 3)]), [
      ...['claimed 3 devices', 'api_key.created', 'claimed 3 devices'],
    ])
    const keys = Array.from({ length: 5 }, (_, n) => ['api_key.revoked', ada, n] as [string, object, number])
    assert.equal(lines(keys).length, 5)
    const devices = Array.from(
      { length: 5 },
      (_, n) => ['device.registered', { kind: 'device', id: `d${n}` }, n] as [string, object, number],
    )
    assert.deepEqual(lines(devices), ['registered'])
  })
})
