// The service's process while it is fuzzed: it neither ends nor grows.
import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { residentMemory } from '../../bench/memory.ts'
import { median } from '../soak/growth.ts'

export class Watch {
  readonly #child: ChildProcess
  readonly #samples: number[] = []
  /** How it ended, if it did. */
  end: string | null = null

  constructor(child: ChildProcess) {
    this.#child = child
    child.once('exit', (code, signal) => {
      this.end = `the service ended with ${code ?? signal}`
    })
  }

  sample(): void {
    if (this.end === null) this.#samples.push(memoryOf(this.#child.pid!))
  }

  /** Medians, so that neither a peak nor a collection that has just been made decides. */
  memory(): { middle: number; end: number } {
    const count = this.#samples.length
    const between = (from: number, to: number) =>
      median(this.#samples.slice(Math.floor(count * from), Math.max(1, Math.ceil(count * to))))
    return { middle: between(0.4, 0.6), end: between(0.9, 1) }
  }
}

/** Without a process of its own for every look, where there is /proc. */
function memoryOf(pid: number): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return residentMemory(pid)
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
}
