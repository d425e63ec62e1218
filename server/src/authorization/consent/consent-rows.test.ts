import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ConsentRow, judgeConsentRow, judgeSilent } from './consent-rows.ts'

const member = { role: 'member', active: true, approved: true, policy: 'everyone', in_group: false } as const
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
] as const) {
  it(`4.1 row of ${title} → ${verdict}`, () => assert.equal(judgeConsentRow(facts), verdict))
}

const row = (facts: Partial<ConsentRow>, customer_id = 'c1'): ConsentRow => ({
  ...administrator,
  customer_id,
  customer_name: 'Acme',
  group_name: null,
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
    assert.equal(silent.verdict === 'connect' ? silent.customer_id : silent.error, expected)
  })
}
