import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Command, CommandState } from '../../portal/src/api/commands.ts'
import { commandSentence, parametersText, senderOf } from '../../portal/src/components/command/command-words.ts'
import {
  formField,
  limitsText,
  parametersOf,
  problemsOfValues,
} from '../../portal/src/components/command/parameter-values.ts'
import { durationWords } from '../../portal/src/components/page/duration.ts'
import { commandField, commandFields, commandOf, problemsOfCommand } from '../../portal/src/partner/command-fields.ts'

const at = '2026-11-18T08:00:00.000Z'
const command = (state: CommandState, more: Partial<Command> = {}) =>
  ({
    ...{
      state,
      name: 'unlock',
      label: 'Unlock',
      parameters: { pin: null, door: 2 },
      secret: ['pin'],
      source: 'portal',
    },
    ...{ created_by: { kind: 'user', id: '1', name: 'Ada' }, attempts: 0, started_at: null, delivered_at: null },
    ...more,
  }) as unknown as Command

const parameters = [
  { key: 'celsius', type: 'number' as const, required: true, min: 5, max: 35 },
  { key: 'room.door', type: 'text' as const, max_length: 3 },
  { key: 'boost', type: 'boolean' as const },
]

describe('what became of a command', () => {
  it('says of an expired command whether it may have been executed', () => {
    assert.match(commandSentence(command('expired')), /not executed and never will be/)
    assert.match(commandSentence(command('expired', { attempts: 2 })), /may have been executed/)
  })

  it('says of an unknown result why nobody knows it, and what to do', () => {
    assert.match(commandSentence(command('unknown', { started_at: at })), /began.*check the device/)
    assert.match(commandSentence(command('unknown', { attempts: 5 })), /5 times.*check the device/)
  })

  it('says whether a command waits for a device that is away', () => {
    assert.match(commandSentence(command('queued'), true), /offline/)
    assert.doesNotMatch(commandSentence(command('queued')), /offline/)
    assert.match(commandSentence(command('sent', { delivered_at: at })), /has received it/)
    assert.doesNotMatch(commandSentence(command('sent')), /received/)
  })

  it('names who sent it, and never shows a secret', () => {
    assert.equal(senderOf(command('done')), 'Ada')
    assert.equal(senderOf(command('done', { source: 'api_key', created_by: null })), 'An API key')
    assert.equal(parametersText(command('done')), 'pin: •••, door: 2')
  })
})

describe('the form of a command', () => {
  it('finds what is missing, out of range or too long', () => {
    assert.deepEqual(problemsOfValues(parameters, ['', '', '']), { 'values.0': 'Required' })
    assert.deepEqual(problemsOfValues(parameters, [36, 'long', '']), {
      'values.0': 'Enter 35 or less',
      'values.1': 'Use 3 characters or fewer',
    })
    assert.deepEqual(problemsOfValues(parameters, [4.9, 'abc', 'true']), { 'values.0': 'Enter 5 or more' })
    assert.deepEqual(problemsOfValues(parameters, [5, '', '']), {})
  })

  it('sends what is entered, with its type', () => {
    assert.deepEqual(parametersOf(parameters, ['21.5', '', 'false']), { celsius: 21.5, boost: false })
    assert.equal(parametersOf([], []), undefined)
  })

  it('puts a problem that the service found beside its field', () => {
    assert.equal(formField(parameters, 'parameters.room.door'), 'values.1')
    assert.equal(formField(parameters, 'expires_after'), 'expires_after')
    assert.equal(limitsText(parameters[0]!), '5 to 35')
  })
})

describe('a declared command', () => {
  const declared = {
    ...{ name: 'set_temperature', label: 'Set temperature', confirm: true, expires_after: 600, timeout: 90 },
    parameters: [
      { key: 'celsius', type: 'number' as const, required: true, min: 5, values: [5, 20] },
      { key: 'pin', type: 'text' as const, max_length: 8, secret: true },
    ],
  }

  it('is the same after it was opened and saved', () => {
    assert.deepEqual(commandOf(commandFields(declared)), declared)
  })

  it('has its problems at the fields', () => {
    const fields = commandFields(declared)
    fields.parameters.push({ ...fields.parameters[0]!, key: 'pin', min: 9, max: 8, values: ['x'] })
    assert.deepEqual(problemsOfCommand({ ...fields, name: 'Set', timeout: 4 }, new Set()), {
      name: 'Use small letters, digits and _, and begin with a letter',
      timeout: 'Too short or too long',
      'parameters.2.key': 'Another parameter has this key',
      'parameters.2.max': 'Less than the minimum',
      'parameters.2.values': 'Enter numbers only',
    })
    const again = problemsOfCommand(commandFields(declared), new Set(['set_temperature']))
    assert.deepEqual(again, { name: 'Another command has this name' })
    assert.equal(commandField('commands.3.parameters.0.values.1'), 'parameters.0.values')
  })

  it('has times in words', () => {
    assert.deepEqual([3_600, 604_800, 90, 120, 1].map(durationWords), [
      ...['1 hour', '7 days', '90 seconds', '2 minutes', '1 second'],
    ])
  })
})
