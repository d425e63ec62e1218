import type { Space } from '../api/organization.ts'
import { recordsOf } from './claim-lines.ts'

/** A path of a list, from the top of the tree down. */
export interface SpaceLine {
  /** In the file, from 1. */
  line: number
  path: string[]
}

/** Words of a first line that names columns: skipped if it has nothing else. */
const headerWords = /^(path|space|spaces|site|location|building|house|wing|floor|level|storey|zone|area|room|name)s?$/

/** One space per line: as a path with slashes, in columns from the outermost to the innermost, or both. */
export function parseSpaceLines(text: string): SpaceLine[] {
  const records = recordsOf(text.replace(/^\ufeff/, '')).map(({ line, separator, cellsBy }) => ({
    line,
    // A name has spaces in it, which separate nothing.
    cells: cellsBy(separator ?? '\t'),
  }))
  const isHeader = records[0]?.cells.every((cell) => cell === '' || headerWords.test(cell.toLowerCase()))
  return (isHeader ? records.slice(1) : records).map(({ line, cells }) => ({ line, path: cells.flatMap(pathIn) }))
}

/** `Berlin / 3rd floor / 311` */
export function pathIn(text: string): string[] {
  return text
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function pathText(path: readonly string[]): string {
  return path.join(' / ')
}

const maxDepth = 32
const maxNameLength = 200
/** Of what the service refuses in a name, all that no script and no emoji needs anywhere. */
const unusable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Co}\p{Noncharacter_Code_Point}\u{fff9}-\u{fffb}]|\p{M}{9}/u
/** But for joiners, variants of letters and the tags of flags, which are needed in some places. */
const invisible = /(?!\p{Join_Control}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/u
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

export interface CheckedSpaceLine extends SpaceLine {
  problem: string | null
  /** What would be created for it, in full: those above it that are missing, and itself. */
  missing: string[][]
}

/** What an import of the lines would do. The service decides again, since others may create spaces meanwhile. */
export function checkSpaceLines(lines: readonly SpaceLine[], spaces: readonly Space[]): CheckedSpaceLine[] {
  const known = knownPaths(spaces)
  return lines.map((line) => {
    const problem = problemOf(line.path)
    return { ...line, problem, missing: problem === null ? missingOf(line.path, known) : [] }
  })
}

/** The spaces of these paths that do not exist, in the order in which they would be created. */
export function missingSpaces(paths: readonly string[][], spaces: readonly Space[]): string[][] {
  const known = knownPaths(spaces)
  return paths.flatMap((path) => missingOf(path, known))
}

export function problemOf(path: readonly string[]): string | null {
  if (path.length === 0) return 'No name'
  if (path.length > maxDepth) return `Deeper than ${maxDepth} levels`
  const long = path.find((name) => [...name].length > maxNameLength)
  if (long !== undefined) return `“${long.slice(0, 40)}…” is longer than ${maxNameLength} characters`
  // The service would refuse the whole call.
  if (!path.every((name) => name.isWellFormed())) return 'Contains a character that cannot be read'
  if (path.some((name) => unusable.test(name))) return 'Contains a control character or a line break'
  if (path.some((name) => invisible.test(name))) return 'Contains an invisible character'
  if (!path.every((name) => visible.test(name))) return 'A name without a visible character'
  return null
}

/** Adds them to the known ones. */
function missingOf(path: readonly string[], known: Set<string>): string[][] {
  if (known.has(keyOf(path))) return []
  const parts = path.map((_, depth) => path.slice(0, depth + 1))
  const missing = parts.filter((part) => !known.has(keyOf(part)))
  for (const part of missing) known.add(keyOf(part))
  return missing
}

function knownPaths(spaces: readonly Space[]): Set<string> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const paths = new Map<string, string[]>()
  const pathOf = ({ id, name, parent_id }: Space): string[] => {
    const parent = parent_id ? byId.get(parent_id) : undefined
    const path = paths.get(id) ?? [...(parent ? pathOf(parent) : []), name]
    paths.set(id, path)
    return path
  }
  // A name may contain a slash, which a line cannot tell from that of a path.
  return new Set(spaces.map((space) => keyOf(pathIn(pathText(pathOf(space))))))
}

/** As the service compares names: upper and lower case make no difference, and a final sigma is a sigma. */
function keyOf(path: readonly string[]): string {
  return JSON.stringify(path).toLowerCase().replaceAll('ς', 'σ')
}
