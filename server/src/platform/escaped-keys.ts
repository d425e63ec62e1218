import { randomBytes } from 'node:crypto'

/** No key that a caller sends begins with it. */
const prefix = `${randomBytes(9).toString('base64url')}-`

export class TooManyEscapedKeys extends Error {}

/**
 * What `parse`, which is JSON.parse or checks more, makes of a text. V8 from Node 22 on may take a key with an escape for
 * one that another text had at the same position (`"\t"` for `"\\"`: nodejs/node#63785), so that one caller's message
 * changes the names in another's. It is therefore given a text without such keys: they are written without the escape, or
 * replaced where their name needs one, and put back afterwards. `max` different ones; each occurrence is cheap.
 */
export function parseExactly(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
  max = Number.POSITIVE_INFINITY,
): unknown {
  if (!text.includes('\\')) return parse(text)
  /** The keys as they are written, with their quotes, and what is parsed in their place. */
  const safe = new Map<string, string>()
  const replaced = new Map<string, string>()
  let rewritten = ''
  let end = 0
  let nextEscape = -1
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    if (nextEscape < start) nextEscape = text.indexOf('\\', start)
    if (nextEscape === -1) break
    const after = endOfString(text, start) + 1
    if (nextEscape < after && isKey(text, after)) {
      const written = text.slice(start, after)
      let key = safe.get(written)
      if (key === undefined) {
        if (safe.size >= max) throw new TooManyEscapedKeys()
        // As a value: only keys are read wrongly.
        const name: string = JSON.parse(written)
        const stand = `${prefix}${safe.size}`
        if (needsEscape.test(name)) replaced.set(stand, name)
        key = replaced.has(stand) ? `"${stand}"` : `"${name}"`
        safe.set(written, key)
      }
      rewritten += text.slice(end, start) + key
      end = after
    }
    start = after
  }
  const parsed = parse(end === 0 ? text : rewritten + text.slice(end))
  return replaced.size === 0 ? parsed : putBack(parsed, replaced)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them only as escapes.
const needsEscape = /["\\\u0000-\u001f]/

function isKey(text: string, after: number): boolean {
  let index = after
  while (' \t\n\r'.includes(text[index] ?? '?')) index += 1
  return text[index] === ':'
}

/** A reviver of JSON.parse, called for every value, would take thirty times as long as the parsing. */
function putBack(value: unknown, names: Map<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (typeof value[index] === 'object') value[index] = putBack(value[index], names)
    }
    return value
  }
  const members = value as Record<string, unknown>
  let renames = false
  for (const key in members) {
    if (typeof members[key] === 'object') members[key] = putBack(members[key], names)
    renames ||= names.has(key)
  }
  return renames ? renamed(members, names) : members
}

function renamed(members: Record<string, unknown>, names: Map<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const key in members) {
    const value = members[key]
    if (key === '__proto__')
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true })
    else result[names.get(key) ?? key] = value
  }
  return result
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
