import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DictionaryEntry } from '../store/dictionaries.ts'
import { afterChange, afterLocalChange, afterReplacement, afterReport, type Document } from './setting-documents.ts'
import { judgeSettings, type Wanted, worstOf } from './setting-states.ts'
import { isTooLarge, problemWith, type Value } from './setting-values.ts'
import { differences, mergeTemplates, type Template } from './template-merges.ts'

const target: DictionaryEntry = { key: 'target', type: 'number', min: 5, max: 30, values: [{ value: -1 }] }
const mode: DictionaryEntry = { key: 'mode', type: 'text', values: [{ value: 'heat' }, { value: 'cool' }] }
const settable = new Map([target, mode, { key: 'lock', type: 'boolean' } as const].map((entry) => [entry.key, entry]))

describe('what may be wrong with a value for a setting', () => {
  const table: [entry: DictionaryEntry | undefined, value: unknown, problem: string | null][] = [
    [target, 21.5, null],
    [target, 5, null],
    [target, 30, null],
    [target, 4.9, 'must not be less than 5'],
    [target, 31, 'must not be more than 30'],
    [target, -1, null],
    [target, '21', 'must be a number'],
    [target, null, 'must be a number'],
    [{ key: 'free', type: 'number' }, -1e9, null],
    [mode, 'heat', null],
    [mode, 'dry', 'must be one of "heat", "cool"'],
    [mode, true, 'must be text'],
    [{ key: 'name', type: 'text' }, 'é'.repeat(512), null],
    [{ key: 'name', type: 'text' }, 'é'.repeat(513), 'must be text of at most 1,024 bytes'],
    [{ key: 'name', type: 'text' }, '\ud800', 'must be text without U+0000 and lone surrogates'],
    [{ key: 'lock', type: 'boolean' }, false, null],
    [{ key: 'lock', type: 'boolean' }, 0, 'must be true or false'],
    [undefined, 1, 'is no setting of this model'],
  ]
  for (const [entry, value, problem] of table) {
    it(`${entry?.key ?? 'undeclared'} = ${String(value).slice(0, 20)}: ${problem ?? 'nothing'}`, () =>
      assert.equal(problemWith(entry, value), problem))
  }

  it('a device is sent at most 200 settings of 16 KiB in all', () => {
    const many = (count: number, value: Value) =>
      new Map(Array.from({ length: count }, (_, index): [string, Value] => [`k${index}`, value]))
    assert.deepEqual(
      [
        isTooLarge(many(200, 1)),
        isTooLarge(many(201, 1)),
        isTooLarge(many(15, 'x'.repeat(1_024))),
        isTooLarge(many(16, 'x'.repeat(1_024))),
      ],
      [false, true, false, true],
    )
  })
})

const wanted = (value: Value, more: Partial<Wanted> = {}): Wanted => {
  return { value, version: 1, said: null, message: null, ...more }
}
const document = (desired: Record<string, Wanted>, version = 1, reported_version: number | null = null): Document => {
  return { version, desired: new Map(Object.entries(desired)), reported_version }
}
const plain = ({ version, desired, reported_version }: Document) => {
  const said = [...desired].map(([key, { value, version, said, message }]) => [key, value, version, said, message])
  return { version, reported_version, said }
}

describe('the state of a setting', () => {
  const table: [title: string, Wanted, reported: unknown, state: string, message: string | null][] = [
    ['nothing said yet', wanted(21), 21, 'pending', null],
    ['applied, not reported', wanted(21, { said: 'applied' }), undefined, 'in_sync', null],
    ['applied and reported', wanted(21, { said: 'applied' }), 21, 'in_sync', null],
    [
      'applied and reported differently',
      wanted(21, { said: 'applied' }),
      20,
      'pending',
      'The device has applied it, but reports another value.',
    ],
    ['rejected', wanted(21, { said: 'rejected', message: 'Child lock is on.' }), 21, 'rejected', 'Child lock is on.'],
    [
      'the device does not know it',
      wanted(21, { said: 'unsupported', message: 'Which?' }),
      21,
      'unsupported',
      'Which?',
    ],
    [
      'out of the range that the model has now',
      wanted(40, { said: 'applied' }),
      40,
      'unsupported',
      'The model has changed: this must not be more than 30.',
    ],
  ]
  for (const [title, one, reported, state, message] of table) {
    it(title, () => {
      const judged = judgeSettings(new Map([['target', one]]), settable, new Map([['target', reported]]))
      assert.deepEqual(judged.get('target'), { state, message })
    })
  }

  it('the model does not declare it any more', () => {
    const judged = judgeSettings(new Map([['old', wanted(1, { said: 'applied' })]]), settable, new Map())
    assert.deepEqual(judged.get('old'), {
      state: 'unsupported',
      message: 'The model has changed: this is no setting of this model.',
    })
  })

  it('the worst of all is that of the device', () => {
    const of = (...states: ('in_sync' | 'pending' | 'rejected' | 'unsupported')[]) =>
      worstOf(states.map((state) => ({ state, message: null })))
    assert.deepEqual(
      [of(), of('in_sync'), of('pending', 'in_sync'), of('rejected', 'pending'), of('rejected', 'unsupported')],
      [null, 'in_sync', 'pending', 'rejected', 'unsupported'],
    )
  })
})

describe('a document and those who change it', () => {
  const judge = (of: Document, reported: Record<string, unknown> = {}) =>
    judgeSettings(of.desired, settable, new Map(Object.entries(reported)))
  const change = (of: Document, values: Record<string, Value | null>, reported = {}) =>
    afterChange(of, new Map(Object.entries(values)), judge(of, reported))

  it('a customer’s change is the next version; what it does not name stays as it was', () => {
    const before = document({ target: wanted(20, { said: 'applied' }) }, 3, 3)
    assert.deepEqual(plain(change(before, { mode: 'heat' })!), {
      version: 4,
      reported_version: 3,
      said: [
        ['target', 20, 1, 'applied', null],
        ['mode', 'heat', 4, null, null],
      ],
    })
  })

  it('the same again is no change, while it waits or is so', () => {
    assert.equal(change(document({ target: wanted(20) }), { target: 20, mode: null }), null)
    assert.equal(change(document({ target: wanted(20, { said: 'applied' }) }), { target: 20 }), null)
  })

  it('the same again is wanted anew where it was refused, or is not so', () => {
    const refused = document({ target: wanted(20, { said: 'rejected', message: 'No.' }) })
    assert.deepEqual(plain(change(refused, { target: 20 })!).said, [['target', 20, 2, null, null]])
    const other = document({ target: wanted(20, { said: 'applied' }) })
    assert.deepEqual(plain(change(other, { target: 20 }, { target: 19 })!).said, [['target', 20, 2, null, null]])
  })

  it('null no longer wants it', () => {
    assert.deepEqual(plain(change(document({ target: wanted(20) }), { target: null })!), {
      version: 2,
      reported_version: null,
      said: [],
    })
  })

  it('a report speaks of its version and those before, not of what is newer', () => {
    const before = document({ target: wanted(20), mode: wanted('heat', { version: 2 }) }, 2)
    const details = [{ key: 'target', message: 'No.' }, { key: 'mode' }]
    assert.deepEqual(plain(afterReport(before, { version: 1, result: 'rejected', details })!), {
      version: 2,
      reported_version: 1,
      said: [
        ['target', 20, 1, 'rejected', 'No.'],
        ['mode', 'heat', 2, null, null],
      ],
    })
  })

  it('a later report replaces what was said; one of an older version changes nothing', () => {
    const before = document({ target: wanted(20, { said: 'rejected', message: 'No.' }) }, 2, 2)
    const applied = afterReport(before, { version: 2, result: 'applied' })!
    assert.deepEqual(plain(applied).said, [['target', 20, 1, 'applied', null]])
    assert.equal(afterReport(applied, { version: 1, result: 'rejected' }), null)
  })

  it('rejected without details is a refusal of everything; unsupported is said by the device too', () => {
    const before = document({ target: wanted(20), mode: wanted('heat') })
    assert.deepEqual(
      plain(afterReport(before, { version: 1, result: 'rejected' })!).said.map(([, , , said]) => said),
      ['rejected', 'rejected'],
    )
    const details = [{ key: 'mode', unsupported: true, message: 'Old hardware.' }]
    assert.deepEqual(
      plain(afterReport(before, { version: 1, result: 'rejected', details })!).said.map(([, , , said]) => said),
      ['applied', 'unsupported'],
    )
  })

  it('a change at the device is the next version and applied; a late report for the former one leaves it', () => {
    const before = document({ target: wanted(20), mode: wanted('heat') }, 1)
    const after = afterLocalChange(before, new Map<string, Value>([['target', 25]]))!
    assert.deepEqual(plain(after), {
      version: 2,
      reported_version: null,
      said: [
        ['target', 25, 2, 'applied', null],
        ['mode', 'heat', 1, null, null],
      ],
    })
    const late = afterReport(after, { version: 1, result: 'rejected' })!
    assert.deepEqual(plain(late).said, [
      ['target', 25, 2, 'applied', null],
      ['mode', 'heat', 1, 'rejected', null],
    ])
    assert.equal(afterLocalChange(after, new Map<string, Value>([['target', 25]])), null)
  })

  it('nothing waits after a change at a device that had all: it need not report it', () => {
    const before = document({ mode: wanted('heat', { said: 'applied' }) }, 4, 4)
    assert.equal(afterLocalChange(before, new Map<string, Value>([['target', 25]]))!.reported_version, 5)
  })

  it('other hardware has said nothing', () => {
    const before = document({ mode: wanted('heat', { said: 'rejected', message: 'No.' }) }, 4, 4)
    assert.deepEqual(plain(afterReplacement(before)), {
      version: 4,
      reported_version: null,
      said: [['mode', 'heat', 1, null, null]],
    })
  })
})

describe('templates', () => {
  const [everywhere, building, floor, elsewhere]: Template[] = [
    { id: 'everywhere', space_id: null, desired: { target: 20, mode: 'heat', lock: true } },
    { id: 'building', space_id: 'building', desired: { target: 21, mode: 'cool' } },
    { id: 'floor', space_id: 'floor', desired: { target: 22 } },
    { id: 'elsewhere', space_id: 'elsewhere', desired: { lock: false } },
  ] as Template[] as [Template, Template, Template, Template]
  const merged = (spaces: string[]) =>
    [...mergeTemplates([floor, everywhere, elsewhere, building], spaces)].map(([key, { value }]) => [key, value])

  it('key by key, the nearest space counts', () => {
    assert.deepEqual(Object.fromEntries(merged(['room', 'floor', 'building'])), {
      target: 22,
      mode: 'cool',
      lock: true,
    })
    assert.deepEqual(Object.fromEntries(merged(['building'])), { target: 21, mode: 'cool', lock: true })
    assert.deepEqual(Object.fromEntries(merged([])), { target: 20, mode: 'heat', lock: true })
    assert.deepEqual(Object.fromEntries(merged(['elsewhere'])), { target: 20, mode: 'heat', lock: false })
  })

  it('a device differs where it should have another value or none, and the model still has the setting', () => {
    const template = mergeTemplates([everywhere, { id: 'old', space_id: null, desired: { old: 1, target: 99 } }], [])
    assert.deepEqual([...differences(template, new Map(), settable)], ['mode', 'lock'])
    const desired = new Map(Object.entries({ mode: wanted('heat'), lock: wanted(false), extra: wanted(1) }))
    assert.deepEqual([...differences(mergeTemplates([everywhere], []), desired, settable)], ['target', 'lock'])
  })
})
