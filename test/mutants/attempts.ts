// The tests of a file, run with one change of it after the other.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { reachedBy, root } from '../runner/imports.ts'

export type Verdict = 'killed' | 'timed out' | 'survived'

/** Modules of earlier runs stay in the memory of a thread. */
const mostRuns = 200

/** A thread of its own, since a change that never ends can only be ended with its thread. */
export class Attempts {
  readonly #url: string
  readonly #tests: string[]
  readonly #sources: Map<string, string>
  #worker: Worker | null = null
  #runs = 0

  constructor(file: string, tests: string[]) {
    const reached = new Set(tests.flatMap((test) => [...reachedBy(test)]))
    this.#url = url(file)
    this.#tests = tests.map(url)
    this.#sources = new Map([...reached].filter(isSource).map(asLoaded))
  }

  async try(source: string, milliseconds: number): Promise<{ verdict: Verdict; failure: string | null }> {
    const worker = this.#worker ?? this.#start()
    this.#runs += 1
    worker.postMessage({ url: this.#url, source: stripTypeScriptTypes(source), tests: this.#tests })
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), milliseconds)
    try {
      const [{ failure, awaited }] = await once(worker, 'message', { signal: late.signal })
      if (awaited || this.#runs === mostRuns) await this.stop()
      return { verdict: failure === null ? 'survived' : 'killed', failure }
    } catch (error) {
      await this.stop()
      return { verdict: late.signal.aborted ? 'timed out' : 'killed', failure: String(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = null
    this.#runs = 0
  }

  #start(): Worker {
    this.#worker = new Worker(new URL('thread.js', import.meta.url), {
      workerData: this.#sources,
      stdout: true,
      stderr: true,
    })
    // Thrown beside the tests: `once` may not wait any more.
    this.#worker.on('error', () => {})
    return this.#worker
  }
}

/** Without their types, once for all threads. */
const stripped = new Map<string, string>()

function asLoaded(file: string): [string, string] {
  const source = stripped.get(file) ?? stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'))
  stripped.set(file, source)
  return [url(file), source]
}

function isSource(file: string): boolean {
  return file.endsWith('.ts') && existsSync(join(root, file))
}

function url(file: string): string {
  return pathToFileURL(join(root, file)).href
}
