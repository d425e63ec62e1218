import assert from 'node:assert/strict'
import { it } from 'node:test'
import { approvesIt, arrangeRows, type ConsentRow, judgeConsentRow, judgeSilent } from './consent-rows.ts'

const asked = { policy: 'everyone', in_group: false, factor_step: null } as const
const member = { role: 'member', active: true, approved: true, ...asked } as const
const administrator = { ...member, role: 'administrator' } as const

for (const [title, facts, verdict] of [
  ['an administrator, not approved', { ...administrator, approved: false, policy: null }, 'selectable'],
  ['an administrator, approved', administrator, 'selectable'],
  ['an administrator outside the group', { ...administrator, policy: 'group' }, 'selectable'],
  ['a deactivated administrator', { ...administrator, active: false }, 'inactive'],
  ['a member, not approved', { ...member, approved: false, policy: null }, 'not_approved'],
  ['a member, approved for everyone', member, 'selectable'],
  ['a member, approved for administrators', { ...member, policy: 'administrators' }, 'administrators_only'],
  ['a member in the group', { ...member, policy: 'group', in_group: true }, 'selectable'],
  ['a member outside the group', { ...member, policy: 'group' }, 'not_in_group'],
  ['a deactivated member', { ...member, active: false }, 'inactive'],
  ['a member who needs a second factor', { ...member, factor_step: 'set_up' }, 'second_factor'],
  ['an administrator who needs to present one', { ...administrator, factor_step: 'present' }, 'second_factor'],
  ['a member, not approved, who needs one', { ...member, approved: false, factor_step: 'set_up' }, 'not_approved'],
] as const) {
  it(`4.1 row of ${title} → ${verdict}`, () => assert.equal(judgeConsentRow(facts), verdict))
}

const row = (facts: Partial<ConsentRow>, customer_id = 'c1'): ConsentRow => ({
  ...administrator,
  customer_id,
  customer_name: 'Acme',
  group_name: null,
  requested_permissions: null,
  permissions: null,
  within: null,
  asked_before: null,
  asked_at: null,
  outcome: null,
  decided_at: null,
  ...facts,
})
const unapproved = { approved: false, policy: null } as const

for (const [title, rows, expected] of [
  ['one approved row', [row({})], 'c1'],
  ['one approved row beside one that is not', [row({}), row(unapproved, 'c2')], 'c1'],
  ['two approved rows', [row({}), row({}, 'c2')], 'interaction_required'],
  ['a row that could be approved', [row(unapproved)], 'consent_required'],
  ['nothing selectable', [row({ role: 'member', ...unapproved })], 'interaction_required'],
  ['no customer at all', [], 'interaction_required'],
] as const) {
  it(`decision 6.6 prompt=none with ${title} → ${expected}`, () => {
    const silent = judgeSilent([...rows])
    const verdict =
      expected === 'c1' ? { verdict: 'connect', customer_id: 'c1' } : { verdict: 'error', error: expected }
    assert.deepEqual(silent, verdict)
  })
}

for (const [title, facts, expected] of [
  ['an administrator of a customer without an approval', unapproved, true],
  ['an administrator of a customer with one', {}, false],
  ['a deactivated administrator', { ...unapproved, active: false }, false],
  ['a member', { ...unapproved, role: 'member' }, false],
] as const) {
  it(`4.1 choosing approves the application, by ${title}: ${expected}`, () => {
    assert.equal(approvesIt(row(facts)), expected)
  })
}

it('4.1 rows that can be chosen come first, at most 50 of each kind, and a search finds the others', () => {
  const named = (count: number, name: string, facts: Partial<ConsentRow> = {}) =>
    Array.from({ length: count }, (_, index) => row({ customer_name: `${name} ${index}`, ...facts }, `${name}${index}`))
  const refused = { role: 'member', ...unapproved } as const
  const rows = [...named(52, 'Closed', refused), ...named(53, 'Open'), ...named(1, 'Ärzte')]
  const counts = (search: string) => {
    const { selectable, others, more } = arrangeRows(rows, search)
    return [selectable.length, others.length, more]
  }
  assert.deepEqual(counts(''), [50, 50, 6])
  assert.deepEqual(counts(' OPEN '), [50, 0, 3])
  assert.deepEqual(counts('closed 5'), [0, 3, 0])
  assert.deepEqual(counts('ÄRZ'), [1, 0, 0])
  assert.deepEqual(counts('nothing'), [0, 0, 0])
  assert.equal(arrangeRows(rows, 'open').selectable[0]!.customer_name, 'Open 0')
  assert.equal(arrangeRows(rows, 'closed').others[0]!.customer_name, 'Closed 0')
})
