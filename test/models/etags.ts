import type { TestResponse } from '../support/harness.ts'
import type { Match } from './rules/verdict.ts'
import type { Headers } from './world.ts'

/** What a person who changes something read before: the ETags of each thing, the latest last. */
export class Etags {
  readonly #read = new Map<string, string[]>()

  /** From a response that has the thing. */
  note(id: string, { headers }: TestResponse): void {
    const etag = headers.etag
    const before = this.#read.get(id) ?? []
    if (typeof etag === 'string' && before.at(-1) !== etag) this.#read.set(id, [...before, etag])
  }

  /** The header of a change; an ETag that never was where there is no older one. */
  header(id: string, match: Match): Headers {
    if (match === 'none') return {}
    if (match === 'any') return { 'if-match': '*' }
    const etags = this.#read.get(id) ?? []
    const latest = etags.at(-1)
    const older = etags.findLast((etag) => etag !== latest)
    return { 'if-match': (match === 'stale' ? older : latest) ?? '"never-read"' }
  }
}
