import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check } from './check.ts'
import type { AnyCall, Delivery, History, LiveEvent, StoredMessage } from './history.ts'

type Part = [kind: AnyCall['kind'], input: object, outcome: object | string | null, invoked: number, returned?: number]

/** An outcome: what was returned, the code of a refusal, or null where nobody knows. */
function historyOf(parts: Part[], deliveries: Delivery[] = []): History {
  const calls = parts.map(([kind, input, outcome, invoked, returned = invoked + 1], n) => ({
    ...{ n, actor: 'a', kind, key: 'k', input, invoked, returned: outcome === null ? null : returned },
    ok: typeof outcome === 'object' ? outcome : null,
    refused: typeof outcome === 'string' ? outcome : null,
  }))
  return { name: 'handmade', calls: calls as unknown as AnyCall[], deliveries, live: [], streams: [], faults: [] }
}

const rulesOf = (history: History) => [...new Set(check(history).violations.map(({ rule }) => rule))]
/** Without those about webhooks, which these histories have none of. */
const ordersOf = (history: History) => rulesOf(history).filter((rule) => rule.endsWith('is linearizable'))
const kindsOf = (history: History) => check(history).violations[0]?.calls.map(({ kind }) => kind)

const asAdministrator = { as: 'administrator' }
const tokens = (n: number) => ({ access: `a${n}`, refresh: `r${n}` })
/** A grant with a refresh token r1 and an access token a1, at 3. */
const connected: Part[] = [
  ['authorize', asAdministrator, { code: 'c1' }, 0],
  ['exchange', { code: 'c1' }, tokens(1), 2],
]

describe('3 grants, as an outsider sees them', () => {
  const legal: Record<string, Part[]> = {
    'a code works once': [...connected, ['exchange', { code: 'c1' }, 'invalid_grant', 4]],
    'a code is too old after a minute': [connected[0]!, ['exchange', { code: 'c1' }, 'invalid_grant', 70_000]],
    'two refreshes at once: one wins': [
      ...connected,
      ['refresh', { token: 'r1' }, tokens(2), 4, 9],
      ['refresh', { token: 'r1' }, 'invalid_grant', 4, 9],
      ['use', { token: 'a2' }, {}, 10],
    ],
    'a refresh whose response was lost, and its replay within the grace': [
      ...connected,
      ['refresh', { token: 'r1' }, null, 4],
      ['refresh', { token: 'r1' }, 'invalid_grant', 6],
      ['use', { token: 'a1' }, {}, 8],
    ],
    'a refresh that never happened': [
      ...connected,
      ['refresh', { token: 'r1' }, null, 4],
      ['refresh', { token: 'r1' }, tokens(2), 6],
    ],
    'a replay after the grace ends the grant': [
      ...connected,
      ['refresh', { token: 'r1' }, tokens(2), 4],
      ['refresh', { token: 'r1' }, 'invalid_grant', 70_000],
      ['use', { token: 'a2' }, 'invalid_token', 70_002],
      ['refresh', { token: 'r2' }, 'invalid_grant', 70_004],
    ],
    'an access token works for an hour': [
      ...connected,
      ['use', { token: 'a1' }, {}, 3_590_000],
      ['use', { token: 'a1' }, 'invalid_token', 3_610_000],
    ],
    'revoked, and connected again': [
      ...connected,
      ['revoke', { token: 'a1' }, {}, 4],
      ['use', { token: 'a1' }, 'invalid_token', 6],
      ['authorize', { as: 'member' }, { code: 'c2' }, 8],
      ['exchange', { code: 'c2' }, tokens(2), 10],
      ['use', { token: 'a2' }, {}, 12],
      ['use', { token: 'a1' }, 'invalid_token', 14],
    ],
    'a withdrawal whose outcome nobody knows': [
      ...connected,
      ['withdraw', {}, null, 4],
      ['use', { token: 'a1' }, {}, 60],
      ['use', { token: 'a1' }, 'x', 90],
    ],
    'disabled and enabled again: every customer connects anew': [
      ...connected,
      ['disable', {}, {}, 4],
      ['refresh', { token: 'r1' }, 'invalid_client', 6],
      ['enable', {}, {}, 8],
      ['refresh', { token: 'r1' }, 'invalid_grant', 10],
    ],
  }
  for (const [name, parts] of Object.entries(legal)) {
    it(`${name} → allowed`, () => assert.deepEqual(ordersOf(historyOf(parts)), []))
  }

  const illegal: Record<string, [Part[], string[]]> = {
    'a code that works twice': [
      [...connected, ['exchange', { code: 'c1' }, tokens(2), 4]],
      ['authorize', 'exchange', 'exchange'],
    ],
    'a refresh token that works twice': [
      [...connected, ['refresh', { token: 'r1' }, tokens(2), 4], ['refresh', { token: 'r1' }, tokens(3), 6]],
      ['authorize', 'exchange', 'refresh', 'refresh'],
    ],
    'a valid refresh token that is refused': [
      [...connected, ['refresh', { token: 'r1' }, 'invalid_grant', 4]],
      ['authorize', 'exchange', 'refresh'],
    ],
    'a token honoured after the revocation': [
      [...connected, ['revoke', { token: 'r1' }, {}, 4], ['use', { token: 'a1' }, {}, 6]],
      ['authorize', 'exchange', 'revoke', 'use'],
    ],
    'a token honoured after it was refused': [
      [...connected, ['withdraw', {}, null, 4], ['use', { token: 'a1' }, 'x', 6], ['use', { token: 'a1' }, {}, 8]],
      ['authorize', 'exchange', 'use', 'use'],
    ],
    'a token honoured after its hour': [
      [...connected, ['use', { token: 'a1' }, {}, 3_610_000]],
      ['authorize', 'exchange', 'use'],
    ],
    'a grant that outlives a replay after the grace': [
      [
        ...connected,
        ['refresh', { token: 'r1' }, tokens(2), 4],
        ['refresh', { token: 'r1' }, 'invalid_grant', 70_000],
        ['use', { token: 'a2' }, {}, 70_002],
      ],
      ['authorize', 'exchange', 'refresh', 'refresh', 'use'],
    ],
    'a replay within the grace that ends the grant': [
      [
        ...connected,
        ['refresh', { token: 'r1' }, tokens(2), 4],
        ['refresh', { token: 'r1' }, 'invalid_grant', 6],
        ['use', { token: 'a2' }, 'x', 8],
      ],
      ['authorize', 'exchange', 'refresh', 'refresh', 'use'],
    ],
    'a grant that comes back with the application': [
      [...connected, ['disable', {}, {}, 4], ['enable', {}, {}, 6], ['use', { token: 'a1' }, {}, 8]],
      ['authorize', 'exchange', 'disable', 'use'],
    ],
    'a member who connects what was withdrawn': [
      [...connected, ['withdraw', {}, {}, 4], ['authorize', { as: 'member' }, { code: 'c2' }, 6]],
      ['withdraw', 'authorize'],
    ],
  }
  for (const [name, [parts, core]] of Object.entries(illegal)) {
    it(`${name} → found, and the shortest history shows it`, () => {
      const found = historyOf(parts)
      assert.deepEqual(ordersOf(found), ['a grant is linearizable'])
      assert.deepEqual(kindsOf(found), core)
    })
  }
})

const event = (
  type: string,
  at: number,
  data: Record<string, string> = {},
  id = type,
  timestamp = new Date(at).toISOString(),
) => ({
  ...{ at, id, type, timestamp, data },
})

describe('1.5 devices, claims and idempotency keys', () => {
  const first: Part = ['register', {}, { id: 'd1', access_key: 'k1' }, 0]
  const legal: Record<string, Part[]> = {
    'two claims at once: one wins': [
      first,
      ['claim', { customer: 'x' }, { id: 'd1' }, 2, 9],
      ['claim', { customer: 'y' }, 'claim_failed', 2, 9],
      ['look', { id: 'd1', customer: 'x' }, {}, 10],
      ['look', { id: 'd1', customer: 'y' }, 'not_found', 10],
    ],
    'removed, registered and claimed by another': [
      first,
      ['claim', { customer: 'x' }, null, 2],
      ['look', { id: 'd1', customer: 'x' }, {}, 4],
      ['remove', { id: 'd1', by: 'x' }, {}, 6],
      ['contact', { id: 'd1', access_key: 'k1' }, 'device_removed', 8],
      ['register', {}, { id: 'd2', access_key: 'k2' }, 10],
      ['claim', { customer: 'y' }, { id: 'd2' }, 12],
      ['look', { id: 'd2', customer: 'x' }, 'not_found', 14],
    ],
    'registered again before its key was used': [
      ['register', {}, null, 0],
      ['register', {}, { id: 'd1', access_key: 'k2' }, 2],
      ['contact', { id: 'd1', access_key: 'k2' }, {}, 4],
      ['register', {}, 'already_registered', 6],
    ],
    'a device that comes at a bad moment': [first, ['contact', { id: 'd1', access_key: 'k1' }, 'overloaded', 2]],
    'two accept at once: one joins': [
      ['invite', {}, { link: 'l1' }, 0],
      ['accept', { link: 'l1' }, {}, 2, 9],
      ['accept', { link: 'l1' }, 'page 410', 2, 9],
      ['uninvite', {}, 'not_found', 10],
    ],
    'a new link replaces the old one, whether its response came or not': [
      ['invite', {}, { link: 'l1' }, 0],
      ['relink', {}, null, 2],
      ['accept', { link: 'l1' }, 'page 410', 4],
      ['relink', {}, { link: 'l2' }, 6],
      ['accept', { link: 'l2' }, {}, 8],
    ],
    'created once by three calls': [
      ['create', { name: 'n' }, null, 0],
      ['create', { name: 'n' }, 'idempotency_key_in_use', 0],
      ['create', { name: 'n' }, { id: 'm' }, 4],
      ['list', { name: 'n' }, { ids: ['m'] }, 6],
    ],
  }
  for (const [name, parts] of Object.entries(legal)) {
    it(`${name} → allowed`, () => assert.deepEqual(ordersOf(historyOf(parts)), []))
  }

  const illegal: Record<string, Part[]> = {
    'two owners': [first, ['claim', { customer: 'x' }, { id: 'd1' }, 2], ['claim', { customer: 'y' }, { id: 'd1' }, 4]],
    'two devices of one identity': [first, ['register', {}, { id: 'd2', access_key: 'k2' }, 2]],
    'an old key that still works': [
      first,
      ['register', {}, { id: 'd1', access_key: 'k2' }, 2],
      ['contact', { id: 'd1', access_key: 'k1' }, {}, 4],
    ],
    'a removed device that is heard': [
      first,
      ['remove', { id: 'd1', by: 'partner' }, {}, 2],
      ['contact', { id: 'd1', access_key: 'k1' }, {}, 4],
    ],
    'a claim that is forgotten': [
      first,
      ['claim', { customer: 'x' }, { id: 'd1' }, 2],
      ['look', { id: 'd1', customer: 'x' }, 'not_found', 4],
    ],
    'an invitation that two accept': [
      ['invite', {}, { link: 'l1' }, 0],
      ['accept', { link: 'l1' }, {}, 2],
      ['accept', { link: 'l1' }, {}, 4],
    ],
    'an invitation that was withdrawn': [
      ['invite', {}, { link: 'l1' }, 0],
      ['uninvite', {}, {}, 2],
      ['accept', { link: 'l1' }, {}, 4],
    ],
    'created twice': [
      ['create', { name: 'n' }, { id: 'm' }, 0],
      ['create', { name: 'n' }, { id: 'o' }, 2],
    ],
    'executed twice, with one response': [
      ['create', { name: 'n' }, { id: 'm' }, 0],
      ['list', { name: 'n' }, { ids: ['m', 'o'] }, 2],
    ],
    'a success, though it was not executed': [
      ['create', { name: 'n' }, 'idempotent_answer_lost', 0],
      ['list', { name: 'n' }, { ids: [] }, 2],
    ],
  }
  for (const [name, parts] of Object.entries(illegal)) {
    it(`${name} → found`, () => assert.equal(ordersOf(historyOf(parts)).length, 1))
  }
})

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const message = (mark: string, second: number, more: object = {}) => ({
  ...{ mark, status: 'online', timestamp: at(second), message_id: mark, telemetries: { mark } },
  ...more,
})
const sent = (mark: string, second: number, outcome: object | string | null, invoked: number): Part => [
  'send',
  { message: message(mark, second), by: 'http', sent_at: Date.parse(at(99)) },
  outcome,
  invoked,
]
const stored = (mark: string, second: number): StoredMessage => {
  const { mark: _, ...rest } = message(mark, second)
  return { ...rest, received_at: at(99) }
}
const pages = (invoked: number, ...items: StoredMessage[]): Part => {
  return ['pages', { order: 'oldest_first', limit: 1 }, { pages: items.map((item) => [item]) }, invoked]
}
const state = (invoked: number, mark: string, second: number): Part => {
  return ['state', { reader: 'r' }, { status: 'online', state: { mark: { value: mark, at: at(second) } } }, invoked]
}

/** A message with further data points, and as it is stored. */
const saying = (mark: string, second: number, points: object, invoked: number, more: object = {}): Part => {
  const telling = { ...message(mark, second), telemetries: { mark, ...points }, ...more }
  return ['send', { message: telling, by: 'http', sent_at: Date.parse(at(99)) }, {}, invoked]
}
const said = (mark: string, second: number, points: object, more: object = {}): StoredMessage => ({
  ...{ ...stored(mark, second), telemetries: { mark, ...points } },
  ...more,
})
const whole = { override: true }
const showing = (invoked: number, points: Record<string, [value: unknown, second: number]>): Part => {
  const entries = Object.entries(points).map(([name, [value, second]]) => [name, { value, at: at(second) }])
  return ['state', { reader: 'r' }, { status: 'online', state: Object.fromEntries(entries) }, invoked]
}

/** What comes by webhook of the first message. */
const isOnline = event('device.status_changed', 90, { device_id: 'k', status: 'online', previous_status: 'never_seen' })

describe('4.8 telemetry, as its senders and readers see it', () => {
  const legal: Record<string, Part[]> = {
    'late and repeated': [
      sent('m1', 5, {}, 0),
      sent('m2', 3, {}, 2),
      sent('m1', 5, {}, 4),
      pages(6, stored('m2', 3), stored('m1', 5)),
      state(8, 'm1', 5),
      pages(10, stored('m2', 3), stored('m1', 5)),
    ],
    'an unknown one that is stored, and one that is not': [
      sent('m1', 1, null, 0),
      sent('m2', 2, null, 0),
      pages(4, stored('m1', 1)),
    ],
    'an unknown one that is stored later': [sent('m1', 1, null, 0), pages(4), pages(90, stored('m1', 1))],
    'a data point that is removed, and sent again': [
      saying('m1', 1, { a: 1, b: 1 }, 0),
      showing(2, { mark: ['m1', 1], a: [1, 1], b: [1, 1] }),
      saying('m2', 5, { a: null }, 4),
      saying('m3', 3, { a: 3 }, 6),
      pages(8, said('m1', 1, { a: 1, b: 1 }), said('m3', 3, { a: 3 }), said('m2', 5, { a: null })),
      showing(10, { mark: ['m2', 5], b: [1, 1] }),
      pages(12, said('m1', 1, { a: 1, b: 1 }), said('m3', 3, { a: 3 }), said('m2', 5, { a: null })),
      saying('m4', 7, { a: 4 }, 14),
      showing(16, { mark: ['m4', 7], a: [4, 7], b: [1, 1] }),
    ],
    'a state that is replaced, also by a late message': [
      saying('m1', 1, { a: 1 }, 0),
      saying('m2', 9, { b: 2 }, 2),
      saying('m3', 5, { c: 3 }, 4, whole),
      pages(6, said('m1', 1, { a: 1 }), said('m3', 5, { c: 3 }, whole), said('m2', 9, { b: 2 })),
      showing(8, { mark: ['m2', 9], b: [2, 9], c: [3, 5] }),
      pages(10, said('m1', 1, { a: 1 }), said('m3', 5, { c: 3 }, whole), said('m2', 9, { b: 2 })),
    ],
  }
  for (const [name, parts] of Object.entries(legal)) {
    it(`${name} → allowed`, () => assert.deepEqual(rulesOf(historyOf(parts, [isOnline])), []))
  }

  const illegal: Record<string, [RegExp, Part[]]> = {
    'an acknowledged message is lost': [/^acknowledged ⊆ stored/, [sent('m1', 1, {}, 0), pages(4)]],
    'a refused message is stored': [
      /^refused is not stored/,
      [sent('m1', 1, 'overloaded', 0), pages(4, stored('m1', 1))],
    ],
    'a repeat is stored twice': [
      /^once per message/,
      [sent('m1', 1, {}, 0), sent('m1', 1, {}, 2), pages(4, stored('m1', 1), stored('m1', 1))],
    ],
    'nobody sent it': [/^stored ⊆ sent/, [sent('m1', 1, {}, 0), pages(4, stored('m1', 1), stored('m9', 9))]],
    'out of order': [
      /^pages are in order/,
      [sent('m1', 5, {}, 0), sent('m2', 3, {}, 2), pages(6, stored('m1', 5), stored('m2', 3))],
    ],
    'seen and gone': [/^what is stored stays/, [sent('m1', 1, null, 0), pages(4, stored('m1', 1)), pages(9)]],
    'a state that goes back': [
      /^the state never goes back/,
      [sent('m1', 1, {}, 0), sent('m2', 2, null, 2), state(4, 'm2', 2), state(8, 'm1', 1)],
    ],
    'a state that misses what was acknowledged': [
      /^a read sees/,
      [sent('m1', 1, {}, 0), sent('m2', 2, {}, 2), state(8, 'm1', 1)],
    ],
    'a removed value that comes back': [
      /^what was removed stays removed/,
      [
        saying('m1', 1, { a: 1 }, 0),
        showing(2, { mark: ['m1', 1], a: [1, 1] }),
        saying('m2', 5, { a: null }, 4, { timestamp: undefined, message_id: undefined }),
        showing(6, { mark: ['m2', 5] }),
        showing(8, { mark: ['m2', 5], a: [1, 1] }),
      ],
    ],
    'a late message that brings a removed value back': [
      /^a read sees/,
      [saying('m1', 5, { a: null }, 0), saying('m2', 1, { a: 1 }, 2), showing(4, { mark: ['m1', 5], a: [1, 1] })],
    ],
    'a late message that is lost for other data points': [
      /^a read sees/,
      [saying('m1', 5, { a: null }, 0), saying('m2', 1, { a: 1, b: 1 }, 2), showing(4, { mark: ['m1', 5] })],
    ],
    'an override that keeps an old value': [
      /^a read sees/,
      [saying('m1', 1, { a: 1 }, 0), saying('m2', 5, {}, 2, whole), showing(4, { mark: ['m2', 5], a: [1, 1] })],
    ],
    'an override that removes what is newer': [
      /^a read sees/,
      [saying('m1', 5, { a: 1 }, 0), saying('m2', 1, {}, 2, whole), showing(4, { mark: ['m1', 5] })],
    ],
    'a state that shows null': [
      /^state ⊆ sent/,
      [saying('m1', 1, { a: null }, 0), showing(4, { mark: ['m1', 1], a: [null, 1] })],
    ],
    'a history that forgets that all was replaced': [
      /^stored as sent/,
      [saying('m1', 1, {}, 0, whole), pages(4, said('m1', 1, {}))],
    ],
    'a state that the messages do not make': [
      /^state = fold/,
      [
        sent('m1', 1, null, 0),
        sent('m2', 2, {}, 0),
        pages(4, stored('m2', 2)),
        state(6, 'm1', 3),
        pages(8, stored('m2', 2)),
      ],
    ],
  }
  for (const [name, [rule, parts]] of Object.entries(illegal)) {
    it(`${name} → found`, () => assert.match(rulesOf(historyOf(parts)).join(), rule))
  }
})

describe('webhooks', () => {
  const registered: Part = ['register', {}, { id: 'd', access_key: 'k' }, 0]
  const changed = (id: string, status: string, previous_status: string, second = 1) =>
    event('device.status_changed', 50, { device_id: 'd', status, previous_status }, id, at(second))
  const told = event('device.registered', 5, { device_id: 'd' })

  it('at least once, twice the same, and out of order → allowed', () => {
    const deliveries = [told, told, changed('b', 'offline', 'error'), changed('a', 'error', 'never_seen')]
    const error: Part = ['send', { message: message('m1', 1, { status: 'error' }), by: 'http', sent_at: 0 }, null, 1]
    const history = historyOf([registered, error], deliveries)
    assert.deepEqual(rulesOf({ ...history, calls: history.calls.map((call) => ({ ...call, key: 'd' })) }), [])
  })

  it('one that never comes → found', () =>
    assert.deepEqual(rulesOf(historyOf([registered])), ['webhooks at least once']))

  it('one of two withdrawals has a webhook → found', () => {
    const withdrawn = event('approval.withdrawn', 9)
    const parts: Part[] = [0, 4].flatMap((from): Part[] => [
      ['authorize', asAdministrator, { code: `c${from}` }, from],
      ['withdraw', {}, {}, from + 2],
    ])
    const deliveries = [event('approval.given', 5), withdrawn]
    assert.deepEqual(rulesOf(historyOf(parts, deliveries)), ['webhooks at least once'])
    assert.deepEqual(rulesOf(historyOf(parts, [...deliveries, { ...withdrawn, id: 'another' }])), [])
  })

  const revokedOnce: Part[] = [
    ...connected,
    ['revoke', { token: 'a1' }, {}, 4],
    ['use', { token: 'a1' }, 'invalid_token', 6],
  ]
  const revokedTwice: Part[] = [
    ...revokedOnce,
    ['authorize', asAdministrator, { code: 'c2' }, 8],
    ['exchange', { code: 'c2' }, tokens(2), 10],
    ['revoke', { token: 'a2' }, {}, 12],
    ['use', { token: 'a2' }, 'invalid_token', 14],
  ]
  const connections = [event('approval.given', 1), event('grant.connected', 3)]
  const revoked = (id: string, reason = 'revoked_by_application') => event('grant.revoked', 20, { reason }, id)

  it('a grant whose token is refused has a webhook, each of two its own', () => {
    assert.deepEqual(rulesOf(historyOf(revokedOnce, connections)), ['webhooks at least once'])
    assert.deepEqual(rulesOf(historyOf(revokedTwice, [...connections, revoked('a')])), ['webhooks at least once'])
    assert.deepEqual(rulesOf(historyOf(revokedTwice, [...connections, revoked('a'), revoked('b')])), [])
  })

  it('a revocation for a reason that nobody gave → found', () => {
    const deliveries = [...connections, revoked('a', 'approval_withdrawn')]
    assert.deepEqual(rulesOf(historyOf(revokedOnce, deliveries)), ['no webhook before its cause'])
  })

  it('a status that is read and has no webhook → found', () => {
    const parts = [sent('m1', 1, {}, 0), state(4, 'm1', 1)]
    assert.deepEqual(rulesOf(historyOf(parts)), ['webhooks at least once'])
    assert.deepEqual(rulesOf(historyOf(parts, [isOnline])), [])
  })

  it('one before its cause → found', () => {
    assert.deepEqual(rulesOf(historyOf([registered], [{ ...told, at: -1 }])), ['no webhook before its cause'])
  })

  it('one that changes → found', () => {
    const other = { ...told, timestamp: at(7) }
    assert.deepEqual(rulesOf(historyOf([registered], [told, other])), ['a webhook-id is one event'])
  })

  it('a status change that follows another than it says → found', () => {
    const deliveries = [told, changed('a', 'offline', 'never_seen'), changed('b', 'offline', 'online')]
    assert.deepEqual(rulesOf(historyOf([registered], deliveries)), ['status changes in the documented order'])
  })
})

describe('live streams', () => {
  const claimed: Part = ['claim', { customer: 'x' }, { id: 'k' }, 2]
  const calls = [claimed, sent('m1', 1, {}, 10), sent('m2', 2, {}, 20), state(40, 'm2', 2)]
  const told = [isOnline, event('device.claimed', 3, { device_id: 'k' })]
  const live = (event: string, when: number, shown?: { value: string; second: number }, status = 'online') => ({
    ...{ at: when, stream: 'x', event },
    data: {
      device_id: 'k',
      ...(shown ? { status, state: { mark: { value: shown.value, at: at(shown.second) } } } : {}),
    },
  })
  /** Without those about the device, which these histories do not register. */
  const liveRulesOf = (history: History) => rulesOf(history).filter((rule) => rule !== 'a device is linearizable')
  const first = { value: 'm1', second: 1 }
  const second = { value: 'm2', second: 2 }
  const rulesWith = (...events: LiveEvent[]) => liveRulesOf({ ...historyOf(calls, told), live: events })

  it('each state, one of them twice → allowed', () => {
    assert.deepEqual(
      rulesWith(live('ready', 5), live('state', 11, first), live('state', 21, second), live('state', 50, second)),
      [],
    )
  })

  it('opened when everything was sent, and silent → allowed', () => assert.deepEqual(rulesWith(live('ready', 30)), []))

  it('silent while messages come → found', () => {
    assert.deepEqual(rulesWith(live('ready', 5)), ['a live stream shows the state in the end'])
  })

  it('an older state in the end → found', () => {
    assert.deepEqual(rulesWith(live('ready', 5), live('state', 11, first)), [
      'a live stream shows the state in the end',
    ])
  })

  it('an older state after a newer one → found', () => {
    const events = [live('state', 21, second), live('state', 22, first), live('state', 23, second)]
    assert.deepEqual(rulesWith(live('ready', 5), ...events), ['a live state never goes back'])
  })

  it('an older status in the end → found', () => {
    const events = [live('state', 11, first), live('state', 21, second, 'error')]
    assert.deepEqual(rulesWith(live('ready', 5), ...events), ['a live stream shows the status in the end'])
  })

  it('a device of another customer → found', () => {
    const foreign = { ...live('state', 21, second), stream: 'y' }
    assert.deepEqual(rulesWith(foreign), ['a live stream shows the devices of its customer'])
  })

  const withRemoval = (...events: LiveEvent[]) => {
    const parts: Part[] = [claimed, ['remove', { id: 'k', by: 'x' }, {}, 30]]
    const deliveries = [...told, event('device.removed', 35, { device_id: 'k' })]
    return liveRulesOf({ ...historyOf(parts, deliveries), live: events }).filter(
      (rule) => rule !== 'no webhook before its cause',
    )
  }

  it('a removal, once or twice, or before the stream was opened → allowed', () => {
    assert.deepEqual(withRemoval(live('ready', 5), live('removed', 31), live('removed', 32)), [])
    assert.deepEqual(withRemoval(live('ready', 50)), [])
  })

  it('a removal that is not shown, or is followed by the device → found', () => {
    const unseen = ['a live stream shows a removal in the end']
    assert.deepEqual(withRemoval(live('ready', 5)), unseen)
    assert.deepEqual(withRemoval(live('ready', 5), live('removed', 31), live('state', 32, second)), unseen)
  })

  it('a removal before its cause → found', () => {
    assert.deepEqual(withRemoval(live('ready', 5), live('removed', 20)), ['no removal before its cause'])
  })

  it('a stream that outlives its token → found', () => {
    const withStream = (ended: number | null, outcome: object | string) => {
      const history = historyOf([...connected, ['use', { token: 'a1' }, outcome, 9]])
      return rulesOf({ ...history, streams: [{ token: 'a1', opened: 4, ended }] }).includes(
        'a live stream ends with its token',
      )
    }
    assert.equal(withStream(null, 'invalid_token'), true)
    assert.equal(withStream(12, 'invalid_token'), false)
    assert.equal(withStream(null, {}), false)
  })
})
