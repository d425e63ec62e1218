// A link or a sentence that sends a reader to a heading must lead to one.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** `[text](page.md#heading)` and `[text](#heading)`. */
const linked = /\]\(([\w./-]*)#([\w-]+)\)/g
/** `docs/operate.md ("Heading")`. */
const named = /\b((?:docs\/)?[\w-]+\.md) \("([^"]+)"\)/g

interface Page {
  titles: Set<string>
  anchors: Set<string>
}

async function readPage(file: string): Promise<Page | null> {
  const text = await readFile(join(root, file), 'utf8').catch(() => null)
  if (text === null) return null
  const titles = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => title!.trim())
  return { titles: new Set(titles), anchors: new Set(titles.map(anchorOf)) }
}

/** As GitHub and the portal's own pages write it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

async function problemsIn(file: string, text: string): Promise<string[]> {
  const problems: string[] = []
  for (const [words, path, anchor] of text.matchAll(linked)) {
    if (!file.endsWith('.md')) continue
    const page = await readPage(path ? normalize(join(dirname(file), path)) : file)
    if (page && !page.anchors.has(anchor!)) problems.push(`${file}: ${words}`)
  }
  for (const [words, path, title] of text.matchAll(named)) {
    const page = (await readPage(path!)) ?? (await readPage(join('docs', path!)))
    if (!page?.titles.has(title!)) problems.push(`${file}: ${words}`)
  }
  return problems
}

describe('every heading that something refers to exists', () => {
  it('in every page, source and deployment file', async () => {
    const problems: string[] = []
    const exclude = ['**/node_modules/**', '**/dist/**', '**/data/**', 'test/headings.test.ts']
    const files = glob(
      '{*,{bench,client,deploy,docs,examples,portal,server,test}/**/*}.{md,ts,tsx,yaml,service,cfg,env}',
      {
        cwd: root,
        exclude,
      },
    )
    for await (const file of files) problems.push(...(await problemsIn(file, await readFile(join(root, file), 'utf8'))))
    assert.deepEqual(problems, [])
  })

  it('finds what leads nowhere', async () => {
    assert.equal((await problemsIn('docs/a.md', '[x](operate.md#no-such-heading)')).length, 1)
    assert.equal((await problemsIn('deploy/a.yaml', '# docs/operate.md ("No such heading")')).length, 1)
    assert.deepEqual(await problemsIn('docs/a.md', '[x](operate.md#settings) and docs/operate.md ("Settings")'), [])
  })
})
