// Several files in one process: loading the service and warming up costs more than most of their tests.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './imports.ts'

/** At most that many scripts, each of which runs its share of the files. All of a group set up first, then their tests run one after the other. */
export async function writeGroups(folder: string, name: string, files: string[], most: number): Promise<string[]> {
  const count = Math.min(most, files.length)
  const written = Array.from({ length: count }, async (_, group) => {
    const mine = files.filter((_, index) => index % count === group)
    const script = join(folder, `${name}-${group + 1}-of-${count}.test.mjs`)
    await writeFile(
      script,
      source(
        script,
        mine.map((file) => pathToFileURL(join(root, file)).href),
      ),
    )
    return script
  })
  return await Promise.all(written)
}

/** Where a group writes how long each of its files took to load. */
export function loadingTimes(script: string): string {
  return `${script}.json`
}

function source(script: string, urls: string[]): string {
  return `import { writeFileSync } from 'node:fs'
    import { before } from 'node:test'
    const loaded = Promise.withResolvers()
    before(() => loaded.promise)
    const times = []
    for (const url of ${JSON.stringify(urls)}) {
      const began = performance.now()
      await import(url)
      times.push([url, performance.now() - began])
    }
    writeFileSync(${JSON.stringify(loadingTimes(script))}, JSON.stringify(times))
    loaded.resolve()\n`
}
