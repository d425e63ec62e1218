import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  abilities,
  allowedBy,
  allPermissions,
  everything,
  judge,
  meanings,
  ofCredential,
  ofRole,
  permits,
  reachOfCredential,
  reachOfPerson,
  whereTo,
} from './permissions.ts'

describe('decision 6.47: permissions', () => {
  it('a step includes the ones before it and none after it', () => {
    const reader = { ...ofRole.viewer, devices: 'manage' } as const
    assert.deepEqual(
      allPermissions.filter((needed) => permits(reader, needed)),
      ['devices: read', 'devices: manage', 'spaces: read'],
    )
  })

  it('whoever belongs to the organization may do what needs none', () => {
    const nothing = { devices: 'none', spaces: 'none', people: 'none', audit: 'none', integrations: 'none' } as const
    assert.ok(permits(nothing, 'none'))
    assert.deepEqual(
      allPermissions.filter((needed) => permits(nothing, needed)),
      [],
    )
  })

  it('an administrator may do everything; a token and an API key neither what people do nor commands', () => {
    assert.ok(allPermissions.every((needed) => permits(everything, needed)))
    assert.deepEqual(
      allPermissions.filter((needed) => !permits(ofCredential, needed)),
      ['devices: command', 'integrations: manage'],
    )
  })

  it('each has a meaning for people', () => {
    assert.deepEqual(Object.keys(meanings), [...allPermissions])
    for (const permission of allPermissions)
      assert.ok(meanings[permission].toLowerCase().startsWith(`${abilities[permission]}.`.toLowerCase()), permission)
  })

  it('what a step allows is said with the steps before it', () => {
    assert.equal(allowedBy('spaces: manage'), 'see the tree of spaces; create, rename, move and delete spaces')
    assert.equal(allowedBy('audit: read'), abilities['audit: read'])
    assert.match(allowedBy('devices: command'), /^see devices.*; claim.*; send commands.* set their settings$/)
  })
})

describe('decision 6.48: where a caller may do it', () => {
  const mixed = reachOfPerson('member', [
    { role: 'viewer', space_id: 'oslo' },
    { role: 'manager', space_id: 'floor 2' },
  ])

  it('the space and everything below it, not what is above or beside it, nor what is in no space', () => {
    for (const [above, reads, manages] of [
      [['oslo'], true, false],
      [['room 7', 'floor 2', 'oslo'], true, true],
      [['floor 2', 'bergen'], true, true],
      [['bergen'], false, false],
      [[], false, false],
    ] as const) {
      assert.equal(judge(mixed, 'devices: read', above), reads, `${above}`)
      assert.equal(judge(mixed, 'devices: manage', above), manages, `${above}`)
    }
  })

  it('without a target, some place suffices; without any place, nothing does', () => {
    assert.ok(judge(mixed, 'devices: manage'))
    assert.ok(!judge(mixed, 'people: read'))
    assert.ok(!judge(reachOfPerson('member', []), 'devices: read'))
    assert.ok(!judge(reachOfCredential(null, []), 'devices: read'))
  })

  it('several roles in one space count together, and a role everywhere is one in every space and in none', () => {
    assert.deepEqual(whereTo(mixed, 'devices: read'), ['oslo', 'floor 2'])
    const everywhere = reachOfPerson('member', [
      { role: 'operator', space_id: null },
      { role: 'manager', space_id: 'oslo' },
    ])
    assert.equal(whereTo(everywhere, 'devices: command'), null)
    assert.deepEqual(whereTo(everywhere, 'spaces: manage'), ['oslo'])
    assert.ok(judge(everywhere, 'devices: command', []))
  })

  it('people are in no space: a credential for one space sees them, if it sees people at all', () => {
    const permissions = { devices: 'read', spaces: 'none', people: 'read', audit: 'none' } as const
    const narrow = reachOfCredential(permissions, ['oslo'])
    assert.equal(whereTo(narrow, 'people: read'), null)
    assert.ok(!judge(narrow, 'people: manage'))
    assert.ok(!judge(narrow, 'integrations: manage'))
  })

  it('what was approved before there were permissions keeps exactly its reach', () => {
    assert.deepEqual(reachOfCredential(null, null), [{ permissions: ofCredential, within: null }])
  })
})
