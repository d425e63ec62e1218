import { promises as dns } from 'node:dns'
import { ownLimits } from './own-limits.ts'

/** The TXT records of a name; `missing` is DNS's answer that there are none, `unreachable` the lack of an answer. */
export type TextRecords = string[] | 'missing' | 'unreachable'

export type TextLookUp = (name: string) => Promise<TextRecords>

export interface TextRecordOptions {
  /** `host:port` of name servers; by default the machine's own. */
  nameServers?: string[]
  /** For all tries of one look-up, over UDP and TCP. */
  milliseconds?: number
}

/** A response has at most 64 KiB, which is DNS's own limit. */
export function createTextLookUp({
  nameServers,
  milliseconds = ownLimits.domainCheckMilliseconds,
}: TextRecordOptions = {}): TextLookUp {
  return async function lookUpText(name: string): Promise<TextRecords> {
    // Its own resolver: a shared one keeps responses for as long as they may be kept, and a person who has just added a record waits.
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
    if (nameServers) resolver.setServers(nameServers)
    const deadline = setTimeout(() => resolver.cancel(), milliseconds)
    try {
      const records = await resolver.resolveTxt(name)
      // Only aliases, such as one that leads to itself.
      return records.length === 0 ? 'missing' : records.map((parts) => parts.join(''))
    } catch (error) {
      return isAnswer((error as NodeJS.ErrnoException).code) ? 'missing' : 'unreachable'
    } finally {
      clearTimeout(deadline)
    }
  }
}

/** The name or the record does not exist; anything else says nothing about either. */
function isAnswer(code: string | undefined): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA'
}
