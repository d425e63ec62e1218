import assert from 'node:assert/strict'
import { it } from 'node:test'
import { auditEventTypes, partnerEventTypes } from './audit-types.ts'

it('every type is named once, as a thing and what happened to it, and those of a partner are among them', () => {
  for (const types of [auditEventTypes, partnerEventTypes]) {
    assert.equal(new Set<string>(types).size, types.length)
    for (const type of types) assert.match(type, /^[a-z_]+\.[a-z_]+$/)
  }
  assert.deepEqual([...auditEventTypes], [...auditEventTypes].sort())
  for (const type of partnerEventTypes) assert.ok((auditEventTypes as string[]).includes(type), type)
})
