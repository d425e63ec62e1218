/** A JSON text that is not well-formed, and where. */
export class JsonProblem extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

export interface ParsedJson {
  value: unknown
  /** The line of each value, by its path: `data_points.3.label`. The whole text is the empty path. */
  lines: ReadonlyMap<string, number>
}

const whitespace = /[ \t\r\n]*/y
const scalar =
  /"(?:[^"\\\t\r\n]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const maxDepth = 50

/** Like JSON.parse, which does not say on which line a value is. */
export function parseJsonWithLines(text: string): ParsedJson {
  const lines = new Map<string, number>()
  const lineAt = lineCounter(text)
  let at = 0
  const fail = (message: string): never => {
    throw new JsonProblem(lineAt(at), message)
  }
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? ['']
    at += found.length
    return found
  }
  const take = (character: string): boolean => {
    match(whitespace)
    if (text[at] !== character) return false
    at += 1
    return true
  }
  const readMembers = (end: '}' | ']', path: string, depth: number) => {
    if (take(end)) return
    for (let index = 0; ; index += 1) {
      match(whitespace)
      let name = String(index)
      if (end === '}') {
        const quoted = text[at] === '"' ? match(scalar) : ''
        if (!quoted) fail('A name in double quotes is missing')
        name = JSON.parse(quoted) as string
        if (!take(':')) fail('A colon is missing')
      }
      readValue(path ? `${path}.${name}` : name, depth)
      if (take(end)) return
      if (!take(',')) fail(`A comma or ${end} is missing`)
    }
  }
  const readValue = (path: string, depth: number) => {
    match(whitespace)
    lines.set(path, lineAt(at))
    if (depth > maxDepth) fail('This is nested too deeply')
    if (take('{')) readMembers('}', path, depth + 1)
    else if (take('[')) readMembers(']', path, depth + 1)
    else if (!match(scalar)) fail(at < text.length ? 'A value is missing or not valid' : 'The text ends too early')
  }
  readValue('', 0)
  match(whitespace)
  if (at < text.length) fail('Nothing may follow the end of the document')
  try {
    return { value: JSON.parse(text), lines }
  } catch {
    throw new JsonProblem(1, 'A text has a control character that is not escaped')
  }
}

/** Positions must not decrease. */
function lineCounter(text: string): (at: number) => number {
  let line = 1
  let from = 0
  return (at) => {
    for (; from < at; from += 1) if (text[from] === '\n') line += 1
    return line
  }
}
