import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldMessage } from '../../portal/src/components/form/field-message.ts'

describe('what a form shows beside a field', () => {
  const cases: [string, string][] = [
    ['is required', 'Required'],
    ['must not be empty', 'Required'],
    ['must have 200 characters or fewer', 'Use 200 characters or fewer'],
    ['must have 8 characters or more', 'Use 8 characters or more'],
    ['must be one of everyone, group', 'Choose one of everyone, group'],
    ['must be an email address, such as ada@example.com', 'Enter an email address, such as ada@example.com'],
    ['must be 3,600 or less', 'Must be 3,600 or less'],
    ['must use https, except on a loopback host', 'Use https, except on a loopback host'],
    ['must have no fragment', 'Must have no fragment'],
    ['is not one of your models', 'Is not one of your models'],
  ]
  for (const [predicate, sentence] of cases) {
    it(sentence, () => assert.equal(fieldMessage(predicate), sentence))
  }
})
