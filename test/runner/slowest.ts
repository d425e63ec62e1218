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
      if (file) this.#milliseconds.set(file, duration_ms)
    })
  }

  /** In place of a worker, the files that it ran. */
  readWorkers(scripts: string[]): void {
    for (const script of scripts) {
      this.#milliseconds.delete(script)
      if (!existsSync(timesOf(script))) continue
      const times: [string, number][] = JSON.parse(readFileSync(timesOf(script), 'utf8'))
      for (const [file, milliseconds] of times) this.#milliseconds.set(file, milliseconds)
    }
  }

  /** One line for each, the slowest first. */
  slowest(count: number): string[] {
    return [...this.#milliseconds]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([file, milliseconds]) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}`)
  }
}
