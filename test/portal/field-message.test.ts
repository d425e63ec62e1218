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
    ['is not a known field', 'This field is not supported'],
    ['must be text', 'Enter text'],
    ['must use letters\nand digits', 'Must use letters\nand digits'],
    // Only a whole sentence is rewritten.
    ...['is required', 'must not be empty', 'is not a known field', 'must be text'].flatMap(
      (predicate): [string, string][] => [
        [`${predicate} here`, `${predicate.charAt(0).toUpperCase()}${predicate.slice(1)} here`],
        [`it ${predicate}`, `It ${predicate}`],
      ],
    ),
    ['must have 2 or fewer here', 'Must have 2 or fewer here'],
    ['it must have 2 or fewer', 'It must have 2 or fewer'],
    ['it must use https', 'It must use https'],
    ['it must be one of a, b', 'It must be one of a, b'],
    ['it must be a number', 'It must be a number'],
    ['must be one of a\nb', 'Must be one of a\nb'],
    ['must be a\nb', 'Must be a\nb'],
  ]
  for (const [predicate, sentence] of cases) {
    it(sentence, () => assert.equal(fieldMessage(predicate), sentence))
  }
})
