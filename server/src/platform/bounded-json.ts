import { endOfString, parseExactly, TooManyEscapedKeys } from './escaped-keys.ts'
import { jsonLimits } from './own-limits.ts'
import { invalid, Refusal } from './refusal.ts'

/** A text below the first is always cheap to parse; up to the second only many lists or objects are costly. */
const characters = { cheap: 4 * 1024, mayBeCheap: 64 * 1024 }

/** Refuses text that would keep the main thread busy, before parsing it, and text that is not JSON. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (text.length > characters.cheap && mayBeCostly(text)) requireModestShape(text)
  try {
    return parseExactly(text, parse, jsonLimits.escapedNames)
  } catch (error) {
    if (error instanceof TooManyEscapedKeys)
      throw tooMuch(`at most ${jsonLimits.escapedNames} names written with escapes`)
    throw malformedJson()
  }
}

function mayBeCostly(text: string): boolean {
  return text.length > characters.mayBeCheap || occurs(text, '[', 64) || occurs(text, '{', 2_500)
}

/** Whether a character occurs more than `times` times; `indexOf` is far faster than a loop over characters. */
function occurs(text: string, character: string, times: number): boolean {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    count += 1
    if (count > times) return true
  }
  return false
}

export function malformedJson(): Refusal {
  return new Refusal(400, 'malformed_json', 'The body is not well-formed JSON.')
}

const quote = 0x22
const comma = 0x2c

/** One pass that only counts: a fifth of the cost of parsing. */
function requireModestShape(text: string): void {
  const members = new Uint32Array(jsonLimits.depth + 1)
  let depth = 0
  let containers = 0
  let values = 0
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index)
        break
      case comma:
        if (++members[depth]! >= jsonLimits.members)
          throw tooMuch(`at most ${jsonLimits.members} members or items each`)
        if (++values > jsonLimits.values) throw tooMuch(`at most ${jsonLimits.values} values in all`)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > jsonLimits.depth) throw tooMuch(`at most ${jsonLimits.depth} levels of nesting`)
        if (++containers > jsonLimits.containers) throw tooMuch(`at most ${jsonLimits.containers}`)
        members[depth] = 0
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (depth > 0) depth -= 1
    }
  }
}

function tooMuch(bound: string): Refusal {
  return invalid({ field: 'body', message: `must have objects and lists with ${bound}` })
}
