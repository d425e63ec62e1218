// docs/decisions/ is where engineers read why: entries stay short, and each can be found by its number.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Decision, decisionsIn, readDecisions } from './support/decisions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const maxWords = 120

const decisions = await readDecisions()
const index = await readFile(`${root}/docs/decisions/README.md`, 'utf8')

/** `[decision 3.9](decisions/platform.md)`: the text of a link and where it leads. */
const linked = /\[decision (\d+\.\d+)\]\(((?:\.\.\/|\.\/)*(?:docs\/)?(?:decisions\/)?)([\w-]+\.md)\)/g

function tooLong(entries: Decision[]): string[] {
  return entries
    .map(({ number, text }) => ({ number, words: text.trim().split(/\s+/).length }))
    .filter(({ words }) => words > maxWords)
    .map(({ number, words }) => `${number} has ${words} words`)
}

function repeated(entries: Decision[]): string[] {
  const numbers = entries.map(({ number }) => number)
  return numbers.filter((number, at) => numbers.indexOf(number) !== at)
}

/** "3.1, 3.4–3.6" → 3.1, 3.4, 3.5, 3.6 */
function numbersOf(list: string): string[] {
  return list.split(', ').flatMap((part) => {
    const [from = '', to = from] = part.split('–')
    const [first, last] = [from, to].map((number) => Number(number.split('.')[1])) as [number, number]
    return Array.from({ length: last - first + 1 }, (_, at) => `${from.split('.')[0]}.${first + at}`)
  })
}

describe('the decisions', () => {
  it('there are many, in a file per area', () => {
    assert.ok(decisions.length > 200, `${decisions.length} decisions`)
    assert.ok(new Set(decisions.map(({ file }) => file)).size > 5)
  })

  it('every number exists once', () => assert.deepEqual(repeated(decisions), []))

  it(`every entry has at most ${maxWords} words`, () => assert.deepEqual(tooLong(decisions), []))

  it('every entry asks a question', () => {
    const without = decisions.filter(({ text }) => !/^\*\*\d+\.\d+ [^*]+\?\*\* \S/.test(text))
    assert.deepEqual(
      without.map(({ number }) => number),
      [],
    )
  })

  it('the index says which numbers are in which file', () => {
    const rows = [...index.matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \| .+ \| (.+) \|$/gm)]
    const named = rows.flatMap(([, file, list]) => numbersOf(list!).map((number) => `${number} ${file}`))
    const existing = decisions.map(({ number, file }) => `${number} ${file}`)
    assert.deepEqual(named.sort(), existing.sort())
  })

  it('every link to a decision leads to the file that has it', async () => {
    const wrong: string[] = []
    let links = 0
    for await (const page of glob('{*,{docs,client,examples,deploy}/**/*}.md', {
      cwd: root,
      exclude: ['**/node_modules/**'],
    })) {
      for (const [text, number, , file] of (await readFile(`${root}/${page}`, 'utf8')).matchAll(linked)) {
        links += 1
        if (!decisions.some((one) => one.number === number && one.file === file)) wrong.push(`${page}: ${text}`)
      }
    }
    assert.ok(links > 20, `${links} links`)
    assert.deepEqual(wrong, [])
  })

  it('finds an entry that is too long, and a number that is given twice', () => {
    const long = decisionsIn(
      'a.md',
      `**1.1 Why?** ${'word '.repeat(maxWords)}\n\n## Next\n\n**1.2 Why?** So.\n\n**1.2 Why?** So.\n`,
    )
    assert.deepEqual(tooLong(long), [`1.1 has ${maxWords + 2} words`])
    assert.deepEqual(repeated(long), ['1.2'])
  })
})
