import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allPermissions, everything, lookingOnly, meanings, ofCredential, permits } from './permissions.ts'

describe('decision 6.47: permissions', () => {
  it('a step includes the ones before it and none after it', () => {
    const reader = { ...lookingOnly, devices: 'manage' } as const
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
  })
})
