import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CommandState,
  commandStates,
  isFinal,
  judgeCancel,
  judgeReport,
  reportStatuses,
} from './command-states.ts'

const reported = (state: CommandState, more: object = {}) => ({ state, message: null, result: null, ...more })

describe('a report about a command', () => {
  const open: CommandState[] = ['queued', 'sent', 'in_progress']

  it('the first final one counts, also when nobody expected it any more', () => {
    for (const state of [...open, 'unknown'] as const) {
      for (const status of ['done', 'failed', 'rejected'] as const) {
        assert.equal(judgeReport(reported(state), { status }), 'finish')
      }
    }
  })

  it('progress restarts the timeout, but does not bring back what others have overtaken', () => {
    for (const state of open) assert.equal(judgeReport(reported(state), { status: 'in_progress' }), 'progress')
    assert.equal(judgeReport(reported('unknown'), { status: 'in_progress' }), 'late')
  })

  it('the same again changes nothing, another is refused', () => {
    const done = reported('done', { message: 'ok', result: { on: true, level: 3 } })
    const same = { status: 'done', message: 'ok', result: { level: 3, on: true } } as const
    assert.equal(judgeReport(done, same), 'repeat')
    assert.equal(judgeReport(done, { ...same, message: 'other' }), 'finished')
    assert.equal(judgeReport(done, { ...same, result: { on: true } }), 'finished')
    assert.equal(judgeReport(done, { status: 'failed' }), 'finished')
    assert.equal(judgeReport(done, { status: 'in_progress' }), 'finished')
    assert.equal(judgeReport(reported('done'), { status: 'done', message: null, result: null }), 'repeat')
  })

  it('nothing is accepted of what expired or was canceled', () => {
    for (const state of ['expired', 'canceled'] as const) {
      for (const status of reportStatuses) assert.equal(judgeReport(reported(state), { status }), 'finished')
    }
  })
})

it('a command can be canceled until the device has it', () => {
  const verdicts = commandStates.map((state) => [state, judgeCancel(state)])
  assert.deepEqual(Object.fromEntries(verdicts), {
    queued: 'cancel',
    sent: 'under_way',
    in_progress: 'under_way',
    unknown: 'under_way',
    done: 'finished',
    failed: 'finished',
    rejected: 'finished',
    expired: 'finished',
    canceled: 'repeat',
  })
  assert.deepEqual(
    commandStates.filter((state) => !isFinal(state)),
    ['queued', 'sent', 'in_progress', 'unknown'],
  )
})
