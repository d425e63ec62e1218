// A comment, a title or a page that cites a rule must lead to one: docs/contract.md and docs/decisions/ are the only sources.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readDecisions } from './support/decisions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

const contract = new Set(
  [...(await read('docs/contract.md')).matchAll(/^(?:#{2,3} |\| )(\d+(?:\.\d+)?) /gm)].map(([, number]) => number!),
)
const decisions = new Set((await readDecisions()).map(({ number }) => number))

/** Sections that are one table: a title may begin with their number alone. */
const tables = ['3', '5', '8']

/** "contract 2.3, 3 and 4.1": every number of the list counts. */
const cited = /\b(contract|decision)s? (\d+(?:\.\d+)*(?:(?:, | and |, and )\d+(?:\.\d+)*)*)/gi

/** Words for documents that nobody can open here. */
const foreign =
  /\b(?:(?:the |our )?spec(?:ification)?['’]s\b|(?:design|spec|specification|issue) (?:section |item |row )?\d|(?:the|our) spec\b|\d of the specification)/gi

/** The number that a title begins with, unless it counts something: 64 refreshes, 200 for …, 24.16, 2,000. */
const titled = /\b(?:describe|it|test)\(\s*['"`](\d{1,2}(?:\.\d+)?)(?=[\s:]|, )/g

/** "(7.3)" and "the errors of 7.3". A ratio (4.5:1) or an RFC's clause (3.1.2.1) is something else. */
const bare = /(?:(?<=\s)\(|\bof )([1-9]\.\d{1,2}(?:, \d(?:\.\d{1,2})?)*)(?=\)|[\s,;]|\.(?!\d))/g

interface Citation {
  file: string
  line: number
  problem: string
}

function problemsIn(file: string, text: string): Citation[] {
  const found: Citation[] = []
  const report = (index: number, problem: string) =>
    found.push({ file, line: text.slice(0, index).split('\n').length, problem })

  for (const { 0: words, 1: source, 2: numbers, index } of text.matchAll(cited)) {
    const document = source!.toLowerCase() === 'contract' ? contract : decisions
    for (const number of numbers!.match(/\d+(?:\.\d+)*/g) ?? []) {
      if (!document.has(number)) report(index, `"${words}": docs/${source!.toLowerCase()} has no ${number}`)
    }
  }
  for (const { 0: words, index } of text.matchAll(foreign)) {
    report(index, `"${words}": cite "contract N.N" or "decision N.N"`)
  }
  for (const { 1: number, index } of /\.test\.ts$/.test(file) ? text.matchAll(titled) : []) {
    const known = number!.includes('.') ? contract.has(number!) : tables.includes(number!)
    if (!known && Number.parseInt(number!, 10) <= 12) {
      report(index, `a title begins with ${number}: no such section (write "decision N.N", or a count in letters)`)
    }
  }
  for (const { 1: numbers, 0: words, index } of text.matchAll(bare)) {
    for (const number of numbers!.split(', ')) {
      if (!contract.has(number)) report(index, `"${words}": docs/contract.md has no ${number}`)
    }
  }
  return found
}

describe('every citation leads to docs/contract.md or docs/decisions/', () => {
  it('the two documents have numbered entries', () => {
    for (const number of ['1.5', '2.1', '2.6', '3', '4.8', '7.8', '8']) assert.ok(contract.has(number), number)
    assert.ok(decisions.size > 40, `${decisions.size} decisions`)
  })

  it('in every source file and every page', async () => {
    const problems: string[] = []
    let files = 0
    const exclude = ['**/node_modules/**', '**/dist/**', '**/data/**']
    for await (const file of glob('{*,{.ci,bench,client,deploy,docs,portal,server,test}/**/*}', {
      cwd: root,
      exclude,
    })) {
      if (!/\.(?:tsx?|sql|css|md|sh|js|yaml|cfg|service)$|^\.ci\/run$/.test(file)) continue
      if (file === 'test/citations.test.ts') continue
      files += 1
      for (const { line, problem } of problemsIn(file, await read(file))) problems.push(`${file}:${line} ${problem}`)
    }
    assert.ok(files > 500, `${files} files read`)
    assert.equal(problems.length, 0, `\n${problems.join('\n')}\n${problems.length} citations`)
  })

  const wrong = {
    'a section that the contract does not have': '// See contract 4.9.',
    'an entry that the decisions do not have': '// Why: decision 99.1.',
    'one of a list': '// contract 2.3, 3 and 7.9',
    'a document that is not here': '/** The values of spec 2.2. */',
    'a number of an issue': "describe('issue 12, 10: passwords', () => {",
    'a title with an unknown section': "it('7.9 no such thing', () => {",
    'a title with a whole section of the decisions': "it('10 no statement changes an event', () => {",
    'a title with a number that is no section at all': "it('12.20 the same response again', () => {",
    'a bare number': '/** As promised (9.7). */',
  }
  for (const [name, text] of Object.entries(wrong)) {
    it(`finds ${name}`, () => assert.equal(problemsIn('a.test.ts', text).length, 1))
  }

  for (const text of [
    "it('7.3 a refresh token is replayed', () => {",
    "it('8 60 requests per minute', () => {",
    "it('64 refreshes at once', () => {",
    "it('24.16 is the oldest Node.js', () => {",
    '// contract 2.3, 3 and decision 6.20; RFC 6749 section 5.2; OpenID Connect Core 3.1.2.1; a contrast of 4.5:1.',
  ]) {
    it(`takes ${text}`, () => assert.deepEqual(problemsIn('a.test.ts', text), []))
  }
})
