import { randomUUID } from 'node:crypto'

/** No key that a caller sends begins with it. */
const prefix = `${randomUUID()}-`

/**
 * The value of a well-formed JSON text, given what JSON.parse made of it. V8 from Node 22 on may take a key with an
 * escape for one that another text had at the same place (`"\t"` for `"\\"`: nodejs/node#63785), so that one caller's
 * message changes the names in another's. Such keys are replaced before parsing and put back afterwards.
 */
export function withExactKeys(text: string, parsed: unknown): unknown {
  if (!text.includes('\\')) return parsed
  const keys: string[] = []
  let replaced = ''
  let end = 0
  let nextEscape = -1
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    if (nextEscape < start) nextEscape = text.indexOf('\\', start)
    if (nextEscape === -1) break
    const after = endOfString(text, start) + 1
    if (nextEscape < after && isKey(text, after)) {
      replaced += `${text.slice(end, start)}"${prefix}${keys.length}"`
      keys.push(JSON.parse(text.slice(start, after)))
      end = after
    }
    start = after
  }
  return keys.length === 0 ? parsed : JSON.parse(replaced + text.slice(end), (_, value) => putBack(value, keys))
}

function isKey(text: string, after: number): boolean {
  let index = after
  while (' \t\n\r'.includes(text[index] ?? '?')) index += 1
  return text[index] === ':'
}

function putBack(value: unknown, keys: string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value)
  if (!members.some(([key]) => key.startsWith(prefix))) return value
  return Object.fromEntries(
    members.map(([key, member]) => [
      key.startsWith(prefix) ? keys[Number(key.slice(prefix.length))]! : key,
      member as unknown,
    ]),
  )
}

const quote = 0x22
const backslash = 0x5c

/** The index of the closing quote, or the end of the text when there is none. */
export function endOfString(text: string, opening: number): number {
  for (let index = opening + 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === quote) return index
    if (character === backslash) index += 1
  }
  return text.length
}
