import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { etagOf, requireMatch } from './etag.ts'

const current = { name: 'Acme' }

describe('decision 8.7: ETag', () => {
  it('is a strong one that changes with what it is of', () => {
    assert.match(etagOf(current), /^"[\w-]{22}"$/)
    assert.equal(etagOf(current), etagOf({ ...current }))
    assert.notEqual(etagOf(current), etagOf({ name: 'acme' }))
  })

  for (const ifMatch of [undefined, '*', ' * ', etagOf(current), `"other", ${etagOf(current)} `]) {
    it(`If-Match: ${ifMatch} passes`, () => requireMatch(ifMatch, current))
  }
  for (const ifMatch of ['', '"other"', etagOf({}), `W/${etagOf(current)}`]) {
    it(`If-Match: ${ifMatch} is refused`, () => {
      const message = /Someone else has changed this/
      assert.throws(() => requireMatch(ifMatch, current), { status: 412, code: 'changed_meanwhile', message })
    })
  }
})
