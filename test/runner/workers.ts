// Processes that take one file after the other: loading the service and warming up costs more than most files' tests.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './imports.ts'

interface Workers {
  name: string
  files: string[]
  /** Processes. */
  count: number
  /** What each process loads before its first file, whose hooks then end with the process. */
  loadFirst?: string
}

/** Scripts for as many processes. Each takes the next file that none has taken, so that all end at about the same time. */
export async function writeWorkers(folder: string, { name, files, count, loadFirst }: Workers): Promise<string[]> {
  const taken = join(folder, `${name}-taken`)
  await mkdir(taken)
  const urls = files.map(toUrl)
  const scripts = Array.from({ length: Math.min(count, files.length) }, (_, index) =>
    join(folder, `${name}-${index + 1}.test.mjs`),
  )
  for (const script of scripts) await writeFile(script, source(script, taken, urls, loadFirst))
  return scripts
}

/** Where a worker writes how long each of its files took. */
export function timesOf(script: string): string {
  return `${script}.json`
}

function toUrl(file: string): string {
  return pathToFileURL(join(root, file)).href
}

/**
 * A file is a suite, whose hooks end with it. A suite returns before its tests have run, so the next file waits for its
 * last hook, which comes after all others.
 */
function source(script: string, taken: string, urls: string[], loadFirst?: string): string {
  return `import { mkdirSync, writeFileSync } from 'node:fs'
    import { join } from 'node:path'
    import { after, describe } from 'node:test'
    import { fileURLToPath } from 'node:url'
    ${loadFirst ? `import ${JSON.stringify(toUrl(loadFirst))}` : ''}
    const times = []
    for (const [index, url] of ${JSON.stringify(urls)}.entries()) {
      try {
        mkdirSync(join(${JSON.stringify(taken)}, String(index)))
      } catch {
        continue // another process has it
      }
      const began = performance.now()
      const done = Promise.withResolvers()
      describe(url.slice(${JSON.stringify(toUrl(''))}.length), async () => {
        try {
          await import(url)
        } catch (error) {
          await globalThis.closeAllOfTestFile?.()
          done.resolve()
          throw error
        }
        after(async () => {
          await globalThis.closeAllOfTestFile?.()
          done.resolve()
        })
      })
      await done.promise
      times.push([fileURLToPath(url), performance.now() - began])
      writeFileSync(${JSON.stringify(timesOf(script))}, JSON.stringify(times))
    }
    // A file whose set-up failed closes nothing, and one that forgot something would keep this process for ever.
    setTimeout(() => {
      console.error('Left open by these files: ' + process.getActiveResourcesInfo().join(', '))
      process.exit()
    }, 5_000).unref()\n`
}
