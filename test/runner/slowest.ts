// How long each file took, for the last lines of a run.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadingTimes } from './groups.ts'
import { root } from './imports.ts'

export class Times {
  readonly #milliseconds = new Map<string, number>()
  /** When the first test of a file began and the last one ended: those of a suite may run at once. */
  readonly #spans = new Map<string, { from: number; to: number }>()

  watch(tests: ReturnType<typeof run>): void {
    tests.on('test:complete', ({ file, details }) => {
      // A suite of a group also waits for the other files to be loaded.
      if (!file || details.type === 'suite') return
      const to = performance.now()
      const from = Math.min(to - details.duration_ms, this.#spans.get(file)?.from ?? to)
      this.#spans.set(file, { from, to })
    })
    tests.on('test:summary', ({ file, duration_ms }) => {
      if (!file) return
      const loading = loadingTimes(file)
      // A process of one file took what that file took; in a group, each file adds its loading to its tests.
      if (!existsSync(loading)) return void this.#milliseconds.set(file, duration_ms)
      for (const [url, milliseconds] of JSON.parse(readFileSync(loading, 'utf8'))) {
        const path = fileURLToPath(url)
        const { from, to } = this.#spans.get(path) ?? { from: 0, to: 0 }
        this.#milliseconds.set(path, milliseconds + to - from)
      }
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
