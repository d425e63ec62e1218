import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cancel, check, order, type Part, poll, removal, report, rulesOf, take } from './handmade-commands.ts'

/** With a timeout of 100 seconds. */
const long = (id: string, invoked: number) => order(id, invoked, invoked + 1, 100)
const confirm = (id: string, invoked: number) => poll(null, invoked, 1, id)
const lost = (invoked: number): Part => ['take', { way: 'fleet' }, null, invoked]

describe('commands, as the cloud of a partner gets them', () => {
  const legal: Record<string, Part[]> = {
    'taken, confirmed, reported': [
      ...[order('c1', 0), poll('c1', 2), confirm('c1', 4), check('c1', 'sent', 6), report('c1', 'done', {}, 8)],
      poll(null, 10),
    ],
    'one worker gets it, the other nothing': [order('c1', 0), poll('c1', 2), poll(null, 2), check('c1', 'sent', 6)],
    'again after its timeout': [order('c1', 0), poll('c1', 2), confirm('c1', 4), poll('c1', 5_003, 2)],
    'again after a minute': [long('c1', 0), poll('c1', 2), poll('c1', 60_002, 2)],
    'confirmed, and not again after a minute': [
      ...[long('c1', 0), poll('c1', 2), confirm('c1', 4), poll(null, 61_000), check('c1', 'sent', 61_002)],
    ],
    'nothing, for the device has it': [order('c1', 0), take('c1', 2), poll(null, 4), check('c1', 'sent', 6)],
    'nothing, after a response that was lost': [order('c1', 0), lost(2), poll(null, 4), poll('c1', 6_000, 2)],
    'nothing, for another is before it': [
      ...[order('c1', 0), order('c2', 2), poll('c1', 4), poll(null, 6), report('c1', 'done', {}, 8), poll('c2', 10)],
    ],
    'nothing, for another may be before it': [order(null, 0), order('c2', 2), poll(null, 4), poll('c2', 16_000)],
    'nothing, for it is canceled': [order('c1', 0), cancel('c1', {}, 2), poll(null, 4)],
    'confirmed, and handed out once more': [
      ...[order('c1', 0), poll('c1', 2), confirm('c1', 4), poll('c1', 5_003, 2)],
      check('c1', 'sent', 5_006, { attempts: 2, delivered_at: null }),
    ],
  }
  for (const [name, parts] of Object.entries(legal)) it(`${name} → allowed`, () => assert.deepEqual(rulesOf(parts), []))

  const worker = 'handed to one worker of the fleet'
  const confirmed = 'what the fleet confirms has arrived'
  const waits = 'the fleet gets what waits'
  const illegal: Record<string, [string, Part[]]> = {
    'two workers get it': [worker, [order('c1', 0), poll('c1', 2), poll('c1', 4, 2)]],
    'two workers get the same attempt': [worker, [order('c1', 0), poll('c1', 2), poll('c1', 2)]],
    'again before its timeout': [worker, [order('c1', 0), poll('c1', 2), poll('c1', 4_900, 2)]],
    'again after a minute, though it was confirmed': [
      worker,
      [long('c1', 0), poll('c1', 2), confirm('c1', 4), poll('c1', 61_000, 2)],
    ],
    'confirmed, and not delivered': [
      confirmed,
      [order('c1', 0), poll('c1', 2), confirm('c1', 4), check('c1', 'sent', 6, { delivered_at: null })],
    ],
    'told nothing, and the next one gets it': [waits, [order('c1', 0), poll(null, 2), poll('c1', 4)]],
    'told nothing, and it expires': [
      waits,
      [order('c1', 0), poll(null, 2), check('c1', 'expired', 11_000, { attempts: 0, sent_at: null })],
    ],
    'told nothing after the one before has ended': [
      waits,
      [order('c1', 0), order('c2', 2), poll('c1', 4), report('c1', 'done', {}, 6), poll(null, 8), poll('c2', 10)],
    ],
    'not confirmed, and not again after a minute': [
      waits,
      [long('c1', 0), poll('c1', 2), poll(null, 61_000), check('c1', 'sent', 61_002)],
    ],
    'confirmed, queued again, and then lost for more than a minute': [
      waits,
      [
        ...[order('c1', 0, 1, 70), poll('c1', 2), confirm('c1', 4), poll('c1', 70_003, 2), poll(null, 131_000)],
        check('c1', 'sent', 131_002, { attempts: 2 }),
      ],
    ],
    'not queued again after its timeout': [
      waits,
      [order('c1', 0, 1, 40), poll('c1', 2), confirm('c1', 4), poll(null, 71_000), check('c1', 'sent', 71_002)],
    ],
    'asked for after it expired': [
      'never handed out after it expires',
      [order('c1', 0), ['take', { way: 'fleet' }, take('c1', 0)[2], 10_002]],
    ],
    'out of order': ['one at a time and in order', [order('c1', 0), order('c2', 2), poll('c2', 4)]],
    'after the removal': ['what has ended is not handed out', [order('c1', 0), removal(2), poll('c1', 4)]],
    'canceled while the cloud has it': [
      'what the device has is not canceled',
      [order('c1', 0), poll('c1', 2), cancel('c1', {}, 4)],
    ],
  }
  for (const [name, [rule, parts]] of Object.entries(illegal)) {
    it(`${name} → found`, () => assert.ok(rulesOf(parts).includes(rule), rulesOf(parts).join()))
  }
})
