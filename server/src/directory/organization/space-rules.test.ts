import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeSpaceChange, requireOwnSpace, type SpaceChange, spaceMoveRefused } from './space-rules.ts'

const own = { id: 'floor', parent_id: 'house', name: 'Floor', synced_by: null, created_at: new Date(0) }
const synced = { ...own, synced_by: 'app' }

describe('1.6, decision 7.14: a synced space', () => {
  const anothers = { status: 403, code: 'synced_by_another' }
  const move = { status: 422, code: 'space_move_refused', message: /cannot be moved.*stops syncing/ }
  const table: [title: string, typeof own | typeof synced, SpaceChange, string | null, object][] = [
    ['its own application renames it', synced, { name: 'F' }, 'app', { ...synced, name: 'F' }],
    ['the organization renames it', synced, { name: 'F' }, null, { ...synced, name: 'F' }],
    ['another application renames it', synced, { name: 'F' }, 'other', anothers],
    ['another application keeps its name', synced, { name: 'Floor' }, 'other', synced],
    ['another application changes nothing', synced, {}, 'other', synced],
    ['any application renames a space of nobody', own, { name: 'F' }, 'other', { ...own, name: 'F' }],
    ['a space of nobody moves', own, { parent_id: 'yard' }, null, { ...own, parent_id: 'yard' }],
    ['a space of nobody moves to the top', own, { parent_id: null }, null, { ...own, parent_id: null }],
    ['it moves', synced, { parent_id: 'yard' }, 'app', move],
    ['the organization moves it', synced, { parent_id: null }, null, move],
    ['it is moved to where it is', synced, { parent_id: 'house' }, null, synced],
    ['its application stops syncing', synced, { synced: false }, 'app', own],
    [
      'its application stops syncing and moves it',
      synced,
      { synced: false, parent_id: null },
      'app',
      { ...own, parent_id: null },
    ],
    [
      'another application stops its syncing',
      synced,
      { synced: false },
      'other',
      { ...anothers, message: /Only that application can stop it/ },
    ],
    ['the organization stops its syncing', synced, { synced: false }, null, anothers],
    ['syncing of a space of nobody stops', own, { synced: false }, 'other', own],
  ]
  for (const [title, space, change, clientId, expected] of table) {
    it(title, () => {
      const judged = () => judgeSpaceChange(space, change, clientId)
      if ('status' in expected) assert.throws(judged, expected)
      else assert.deepEqual(judged(), expected)
    })
  }

  it('only its own application and the organization may delete it', () => {
    requireOwnSpace(synced, 'app')
    requireOwnSpace(synced, null)
    requireOwnSpace(own, 'other')
    assert.throws(() => requireOwnSpace(synced, 'other'), { ...anothers, message: /rename or delete it/ })
  })

  it('a space with a synced one below it does not move either', () => {
    assert.equal(spaceMoveRefused().status, 422)
  })
})
