// How long each file took, for the last lines of a run.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { run } from 'node:test'
import { root } from './imports.ts'
import { timesOf } from './workers.ts'

export class Times {
  readonly #milliseconds = new Map<string, number>()

  watch(tests: ReturnType<typeof run>): void {
    tests.on('test:summary', ({ file, duration_ms }) => {
      if (!file) return
      const times: [string, number][] = existsSync(timesOf(file))
        ? JSON.parse(readFileSync(timesOf(file), 'utf8'))
        : [[file, duration_ms]]
      for (const [path, milliseconds] of times) this.#milliseconds.set(path, milliseconds)
    })
  }

  /** One line for each, the slowest first. */
  slowest(count: number): string[] {
    return [...this.#milliseconds]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([file, milliseconds]) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}`)
  }
}
