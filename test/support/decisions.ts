import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface Decision {
  number: string
  file: string
  text: string
}

/** An entry begins with its number in bold and ends with the next entry or heading. */
export function decisionsIn(file: string, page: string): Decision[] {
  const entries = page.matchAll(/^\*\*(\d+\.\d+) [\s\S]*?(?=\n+(?:\*\*\d+\.\d+ |#+ )|\s*$(?![\s\S]))/gm)
  return [...entries].map(([text, number]) => ({ number: number!, file, text }))
}

export async function readDecisions(): Promise<Decision[]> {
  const folder = fileURLToPath(new URL('../../docs/decisions/', import.meta.url))
  const found: Decision[] = []
  for await (const file of glob('*.md', { cwd: folder })) {
    found.push(...decisionsIn(file, await readFile(folder + file, 'utf8')))
  }
  return found
}
