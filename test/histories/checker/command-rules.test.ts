import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cancel, check, day, order, type Part, quiet, removal, report, rulesOf, take } from './handmade-commands.ts'

describe('commands, as customers and devices see them', () => {
  const legal: Record<string, Part[]> = {
    'ordered, taken, reported': [
      order('c1', 0),
      take('c1', 2),
      report('c1', 'done', {}, 4),
      check('c1', 'done', 6),
      take(null, 8),
    ],
    'two in turn': [order('c1', 0), order('c2', 2), take('c1', 4), report('c1', 'failed', {}, 6), take('c2', 8)],
    'two at once, in either order': [order('c1', 0, 9), order('c2', 0, 9), take('c2', 10), take('c2', 12)],
    'taken again after a restart': [order('c1', 0), take('c1', 2), take('c1', 4)],
    'the same report twice': [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), report('c1', 'done', {}, 6)],
    'a second report that is refused': [
      order('c1', 0),
      take('c1', 2),
      report('c1', 'done', {}, 4),
      report('c1', 'failed', 'command_finished', 6),
    ],
    'a report that nobody knows of, and the next command': [
      ...[order('c1', 0), order('c2', 2), take('c1', 4), report('c1', 'done', null, 6), take('c2', 8)],
    ],
    expired: [order('c1', 0), check('c1', 'expired', 11_000, { sent_at: null }), take(null, 11_002)],
    'unknown after its timeout, and the next one': [
      ...[order('c1', 0), order('c2', 2), take('c1', 4), report('c1', 'in_progress', {}, 6), take('c2', 6_000)],
      ...[check('c1', 'unknown', 6_002), report('c1', 'done', {}, 6_004), check('c1', 'done', 6_006)],
    ],
    'handed out five times over a line that loses it, and the next one': [
      ...[order('c1', 0), order('c2', 2), take('c1', 4), take('c2', 6), check('c1', 'unknown', 8, { attempts: 5 })],
    ],
    'canceled by a removal': [order('c1', 0), removal(4), ['check', { id: 'c1', customer: 'x' }, 'not_found', 6]],
    'a poll that another ended': [
      order('c1', 0),
      ['take', { way: 'http' }, { command: null }, 2, 9],
      ['take', { way: 'http' }, { command: { id: 'c1', attempt: 1, expires_at: day(10_001) } }, 4, 8],
    ],
    'a subscription that gets nothing once the command is done': [
      ...[order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), quiet(6)],
    ],
    'a subscription that ends within a moment': [order('c1', 0), take(null, 2, 'mqtt')],
    'a subscription that gets nothing while another is handed it': [order('c1', 0), quiet(2), take('c1', 1_000)],
    'a subscription that gets nothing, and an order meanwhile': [quiet(0), order('c1', 2)],
    'a subscription that gets nothing until the command expires': [order('c1', 0), quiet(4_500)],
    'behind one that is under way, though it has expired': [
      ...[
        order('c1', 0),
        take('c1', 2),
        report('c1', 'in_progress', {}, 7_000),
        order('c2', 8_000),
        take(null, 10_500),
      ],
    ],
  }
  for (const [name, parts] of Object.entries(legal)) it(`${name} → allowed`, () => assert.deepEqual(rulesOf(parts), []))

  const illegal: Record<string, [string, Part[]]> = {
    'asked for after it expired': ['never handed out after it expires', [order('c1', 0), take('c1', 10_002)]],
    'sent after it expired': [
      'never handed out after it expires',
      [order('c1', 0), check('c1', 'sent', 11_000, { sent_at: day(10_500) })],
    ],
    'the second before the first': ['one at a time and in order', [order('c1', 0), order('c2', 2), take('c2', 4)]],
    'two at a time': ['one at a time and in order', [order('c1', 0), order('c2', 2), take('c1', 4), take('c2', 6)]],
    'two at a time, the first handed out four times': [
      'one at a time and in order',
      [order('c1', 0), order('c2', 2), take('c1', 4), take('c2', 6), check('c1', 'unknown', 8, { attempts: 4 })],
    ],
    'the first after the second': [
      'one at a time and in order',
      [order('c1', 0), order('c2', 2), report('c1', 'done', null, 3), take('c2', 4), take('c1', 6)],
    ],
    'the first still waits': [
      'one at a time and in order',
      [order('c1', 0), order('c2', 2), report('c1', 'done', null, 3), take('c2', 4), check('c1', 'sent', 6)],
    ],
    'a poll that gets nothing': ['handed out at least once', [order('c1', 0), take(null, 2)]],
    'a subscription that gets nothing': ['handed out at least once', [order('c1', 0), quiet(2)]],
    'a subscription that does not get again what was handed out before': [
      'handed out at least once',
      [order('c1', 0), take('c1', 2), quiet(4)],
    ],
    'a subscription that gets nothing after a poll that nobody knows of': [
      'handed out at least once',
      [order('c1', 0), ['take', { way: 'http' }, null, 2], quiet(4)],
    ],
    'two final reports': [
      'the first final report wins',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), report('c1', 'failed', {}, 6)],
    ],
    'a repeat that is refused': [
      'the first final report wins',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), report('c1', 'done', 'command_finished', 6)],
    ],
    'a first report that is refused': [
      'the first final report wins',
      [order('c1', 0), take('c1', 2), report('c1', 'done', 'command_finished', 4)],
    ],
    'progress after the end': [
      'the first final report wins',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), report('c1', 'in_progress', {}, 6)],
    ],
    'a report that is forgotten': [
      'no state is lost',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), check('c1', 'sent', 6)],
    ],
    'another report is kept': [
      'no state is lost',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), check('c1', 'done', 6, { message: 'other' })],
    ],
    'an order that is forgotten': [
      'no state is lost',
      [order('c1', 0), ['check', { id: 'c1', customer: 'x' }, 'not_found', 6]],
    ],
    'an end that is undone': ['no state is lost', [order('c1', 0), check('c1', 'failed', 4), check('c1', 'done', 6)]],
    'progress that is undone': [
      'no state is lost',
      [order('c1', 0), check('c1', 'in_progress', 4), check('c1', 'queued', 6)],
    ],
    'a cancellation that is undone': [
      'no state is lost',
      [order('c1', 0), cancel('c1', {}, 2), check('c1', 'queued', 4)],
    ],
    'handed out after its cancellation': [
      'what has ended is not handed out',
      [order('c1', 0), cancel('c1', {}, 2), take('c1', 4)],
    ],
    'handed out after its report': [
      'what has ended is not handed out',
      [order('c1', 0), take('c1', 2), report('c1', 'done', {}, 4), take('c1', 6)],
    ],
    'handed out after the removal': ['what has ended is not handed out', [order('c1', 0), removal(2), take('c1', 4)]],
    'canceled while the device has it': [
      'what the device has is not canceled',
      [order('c1', 0), take('c1', 2), cancel('c1', {}, 4)],
    ],
    'queued for ever': ['every state that waits ends', [order('c1', 0), check('c1', 'queued', 41_000)]],
    'in progress for ever': [
      'every state that waits ends',
      [order('c1', 0), take('c1', 2), report('c1', 'in_progress', {}, 4), check('c1', 'in_progress', 36_000)],
    ],
    'of another device': ['a device has its own commands', [order('c1', 0), take('c9', 2)]],
    'seen by the next owner': ['a device has its own commands', [['orders', { customer: 'y' }, { ids: ['c1'] }, 2]]],
  }
  for (const [name, [rule, parts]] of Object.entries(illegal)) {
    it(`${name} → found`, () => assert.ok(rulesOf(parts).includes(rule), rulesOf(parts).join()))
  }
})
