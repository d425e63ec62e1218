import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Space } from '../../portal/src/api/organization.ts'
import {
  checkSpaceLines,
  missingSpaces,
  parseSpaceLines,
  pathIn,
  pathText,
  problemOf,
} from '../../portal/src/customer/space-lines.ts'
import { flatten, isMovable, isUnder, searchTree, treeOf } from '../../portal/src/customer/space-tree.ts'
import { readText } from '../../server/src/platform/texts.ts'

const space = (id: string, name: string, parent_id: string | null = null) =>
  ({ id, name, parent_id, synced: false }) as Space

describe('a list of spaces', () => {
  const cases: [string, string, (string[] | number)[]][] = [
    ['paths', 'Berlin/3rd floor/311\nOslo', [1, ['Berlin', '3rd floor', '311'], 2, ['Oslo']]],
    ['columns', 'Berlin,3rd floor,311', [1, ['Berlin', '3rd floor', '311']]],
    ['columns of a German spreadsheet', 'Berlin;3. Etage;"Raum 3, Nord"', [1, ['Berlin', '3. Etage', 'Raum 3, Nord']]],
    ['both, with empty cells', 'Berlin / Mitte\t\t311', [1, ['Berlin', 'Mitte', '311']]],
    ['a header', '\ufeffSite,Floor,Room\r\nBerlin,3,311\r\n', [2, ['Berlin', '3', '311']]],
    ['a name of a header among others is a name', 'Room,311', [1, ['Room', '311']]],
    ['names with spaces', 'Ground floor', [1, ['Ground floor']]],
    ['slashes only', '/ /', [1, []]],
    ['a header with an empty column', 'Buildings,,ROOM\nBerlin,,311', [2, ['Berlin', '311']]],
    ['a word of a header within a name', 'Roomy\nMy room', [1, ['Roomy'], 2, ['My room']]],
    ['nothing', '', []],
  ]
  for (const [title, text, wanted] of cases) {
    it(title, () => {
      assert.deepEqual(
        parseSpaceLines(text).flatMap(({ line, path }) => [line, path]),
        wanted,
      )
    })
  }

  it('says what each line creates, what exists in whatever case, and what is wrong', () => {
    const spaces = [space('a', 'Berlin'), space('b', 'Roof / East', 'a')]
    const lines = checkSpaceLines(
      parseSpaceLines(`berlin/3/311\nBERLIN/3/312\nBerlin/3\nBerlin/Roof/East\n${'x'.repeat(201)}\n/`),
      spaces,
    )
    assert.deepEqual(
      lines.map(({ missing, problem }) => problem ?? missing.length),
      [2, 1, 0, 0, `“${'x'.repeat(40)}…” is longer than 200 characters`, 'No name'],
    )
    assert.deepEqual(missingSpaces([['Berlin', '3', '311'], [], ['Oslo']], spaces), [
      ['Berlin', '3'],
      ['Berlin', '3', '311'],
      ['Oslo'],
    ])
  })
})

describe('what a space may be called', () => {
  it('one to 32 levels of up to 200 characters', () => {
    const levels = (count: number) => Array.from({ length: count }, () => 'a')
    assert.equal(problemOf(levels(32)), null)
    assert.equal(problemOf(levels(33)), 'Deeper than 32 levels')
    assert.equal(problemOf(['x'.repeat(200)]), null)
    assert.equal(problemOf(['a', '\ud83d']), 'Contains a character that cannot be read')
    assert.equal(problemOf([]), 'No name')
    assert.equal(problemOf(['😀'.repeat(200)]), null, 'characters are counted, as the service does')
    assert.equal(problemOf(['👩‍👩‍👧‍👦', 'می‌خواهم']), null, 'joiners that a script or an emoji needs')
    for (const name of ['a\nb', 'a\0', 'a\u2028b', '\u202ea', '\ufffe', '\ue000'])
      assert.equal(problemOf(['a', name]), 'Contains a control character or a line break')
    assert.equal(problemOf(['\u0301']), 'A name without a visible character')
    assert.equal(pathText(['Berlin', '3']), 'Berlin / 3')
  })
})

describe('the tree', () => {
  const synced = { ...space('s', 'Synced', 'm'), synced: true }
  const spaces = [
    space('z', 'Zürich'),
    space('a10', 'Room 10', 'z'),
    space('a2', 'Room 2', 'z'),
    space('m', 'Mine'),
    synced,
  ]
  const roots = treeOf([...spaces, space('lost', 'Lost', 'not loaded')])
  const node = (id: string) => flatten(roots).find((each) => each.id === id)!

  it('has siblings in the order of their names, and those without a loaded parent at the top', () => {
    const shown = flatten(roots).map(({ id, depth }) => `${id} ${depth}`)
    assert.deepEqual(shown, ['lost 0', 'm 0', 's 1', 'z 0', 'a2 1', 'a10 1'])
    assert.deepEqual(
      flatten(roots, (id) => id === 'z').map(({ id }) => id),
      ['lost', 'm', 'z', 'a2', 'a10'],
    )
  })

  it('1.6 a synced space stays where it is, and so does one with a synced space below it', () => {
    assert.deepEqual(
      ['z', 'm', 's', 'a2'].map((id) => isMovable(node(id))),
      [true, false, false, true],
    )
    assert.deepEqual(
      ['m', 's', 'z', 'a2'].map((id) => isUnder(node('m'), id)),
      [true, true, false, false],
    )
  })
})

describe('a search in the tree', () => {
  const spaces = [
    space('b', 'Berlin'),
    space('b3', '3rd floor', 'b'),
    space('b311', '311', 'b3'),
    space('b312', '312', 'b3'),
    space('o', 'Oslo'),
    space('o311', '311', 'o'),
  ]
  const found = (text: string) => {
    const { roots, matches, opened, total } = searchTree(treeOf(spaces), text)
    const shown = flatten(roots, (id) => opened.has(id)).map(({ id }) => id)
    return { shown, matches: [...matches], total }
  }
  it('finds a name with the spaces above it', () => {
    assert.deepEqual(found('311'), { shown: ['b', 'b3', 'b311', 'o', 'o311'], matches: ['b311', 'o311'], total: 2 })
  })
  it('finds by words of the path, but nothing by words of others alone', () => {
    assert.deepEqual(found('oslo 311').shown, ['o', 'o311'])
    assert.deepEqual(found('berlin / 311').shown, ['b', 'b3', 'b311'])
    assert.deepEqual(found('berlin').matches, ['b'])
    assert.deepEqual(found('BERLIN/3RD').matches, ['b3'])
    assert.deepEqual(found('').matches, [])
    assert.deepEqual(
      searchTree(treeOf(spaces), 'berlin').roots[0]!.children.length,
      1,
      'what is below a match can be opened',
    )
    assert.deepEqual(found('nowhere'), { shown: [], matches: [], total: 0 })
  })
  it('shows the first of thousands, and counts them all, in no time', () => {
    const many = treeOf(
      Array.from({ length: 5_000 }, (_, n) => space(`r${n}`, `Room ${n}`, n < 50 ? null : `r${n % 50}`)),
    )
    const began = performance.now()
    const { matches, total } = searchTree(many, 'room')
    assert.deepEqual([matches.size, total], [200, 5_000])
    assert.ok(performance.now() - began < 1_000)
  })
})

describe('a name that the service refuses is found before the list is sent', () => {
  it('every code point that is refused wherever it stands (fuzz, seed 2904: U+FEFF)', () => {
    const needed = /\p{Join_Control}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}]/u
    const missed: string[] = []
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const name = `a${String.fromCodePoint(code)}b`
      if (needed.test(name) || !('problem' in readText('line', name, 200))) continue
      if (problemOf(pathIn(name)) === null && pathIn(name).length === 1) missed.push(code.toString(16))
    }
    assert.deepEqual(missed, [])
  })

  it('a letter under a pile of marks', () => {
    assert.notEqual(problemOf([`a${'\u0301'.repeat(12)}`]), null)
  })
})
