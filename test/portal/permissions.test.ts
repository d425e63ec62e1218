import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  areas,
  choicesOf,
  deletedText,
  isPermissionComplete,
  type Levels,
  levelsOf,
  permissionsToSend,
  permissionText,
  presetOf,
} from '../../portal/src/components/form/permissions.ts'
import { levels, ofCredential } from '../../server/src/directory/permissions.ts'

const nothing: Levels = { devices: 'none', spaces: 'none', people: 'none', audit: 'none' }

describe('decision 6.48: what an API key or an application may do, in the portal', () => {
  it('has the vocabulary of the service, but for what only people may do', () => {
    const { integrations: _, ...expected } = levels
    const offered = areas.map((area) => [area, choicesOf(area).map(({ value }) => value)])
    assert.deepEqual(Object.fromEntries(offered), expected)
    const { integrations: __, ...everything } = ofCredential
    assert.deepEqual(levelsOf('everything'), everything)
  })

  it('offers no more than an application asks for', () => {
    const asked = { devices: { level: 'manage' }, spaces: { level: 'read', reason: 'Shows rooms.' } }
    assert.deepEqual(
      choicesOf('devices', asked).map(({ value }) => value),
      ['none', 'read', 'manage'],
    )
    assert.deepEqual(
      choicesOf('audit', asked).map(({ value }) => value),
      ['none'],
    )
    assert.deepEqual(levelsOf('everything', asked), { ...nothing, devices: 'manage', spaces: 'read' })
    assert.deepEqual(levelsOf('read', asked), { ...nothing, devices: 'read', spaces: 'read' })
    assert.equal(presetOf({ ...nothing, devices: 'manage', spaces: 'read' }, asked), 'everything')
  })

  it('says it in a line', () => {
    const texts: [Levels | null, string][] = [
      [null, 'Everything'],
      [levelsOf('everything'), 'Everything'],
      [levelsOf('read'), 'Read only'],
      [{ ...nothing, devices: 'command', spaces: 'read' }, 'Devices: command · Spaces: see'],
      [nothing, 'Nothing'],
    ]
    for (const [permissions, text] of texts) assert.equal(permissionText(permissions), text)
    assert.equal(presetOf({ ...levelsOf('read'), audit: 'none' }), 'custom')
  })

  it('sends the ids of spaces, without those that were deleted, of which one is not enough', () => {
    const [kept, deleted] = [
      { id: 's1', name: 'Oslo' },
      { id: 's2', name: null },
    ]
    assert.deepEqual(permissionsToSend({ permissions: null, within: [kept, deleted] }).within, ['s1'])
    assert.equal(permissionsToSend({ permissions: null, within: null }).within, null)
    assert.equal(isPermissionComplete({ permissions: null, within: [deleted] }), false)
    assert.equal(isPermissionComplete({ permissions: null, within: [kept, deleted] }), true)
    assert.equal(isPermissionComplete({ permissions: null, within: null }), true)
  })
})

describe('spaces that were deleted', () => {
  const place = (name: string | null) => ({ id: '1', name })

  it('are counted, wherever they are in the list; none is said of none', () => {
    assert.equal(deletedText([place('Oslo')]), null)
    assert.equal(deletedText([place('Oslo'), place(null)]), 'a deleted space covers nothing')
    assert.equal(deletedText([place(null), place('Oslo'), place(null)]), '2 deleted spaces cover nothing')
  })
})
