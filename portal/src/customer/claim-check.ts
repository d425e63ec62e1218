import type { Model, Space } from '../api/organization.ts'
import { type ClaimLine, parseMac } from './claim-lines.ts'
import { pathIn, problemOf } from './space-lines.ts'

/** What the service is sent for a line. */
export interface Claim {
  mac: string
  sn: string
  model_id: string
  name?: string
  space_id?: string
}

/** A line that can be sent, or what must be corrected first. */
export type CheckedLine = ClaimLine &
  ({ claim: Claim; problem: null } | { claim: null; problem: string; missingSpace?: string[] })

export interface Choices {
  models: readonly Model[]
  spaces: readonly Space[]
  /** For lines that name none. */
  modelId: string | null
  spaceId: string | null
  /** For a person who manages the devices of some spaces only. */
  needsSpace: boolean
}

export function checkLines(lines: readonly ClaimLine[], choices: Choices): CheckedLine[] {
  const modelNamed = finder(choices.models, 'model', ({ name }) => [name])
  const paths = spacePaths(choices.spaces)
  const spaceNamed = finder(choices.spaces, 'space', ({ id, name }) => [paths.get(id)!, name])
  const earlier = new Map<string, number>()

  const check = (line: ClaimLine): Claim | string | NotFound => {
    const mac = parseMac(line.mac)
    if (!mac) return line.mac ? `“${shortened(line.mac)}” is not a MAC address` : 'MAC address missing'
    if (!line.sn) return 'Serial number missing'
    // The service would refuse the whole call.
    if (!`${line.sn}${line.name}`.isWellFormed()) return 'Contains a character that cannot be read'
    const model = line.model ? modelNamed(line.model) : choices.modelId
    if (model === null) return 'Model missing'
    if (typeof model !== 'string') return model.problem
    const space = line.space ? spaceNamed(line.space) : choices.spaceId
    if (space !== null && typeof space !== 'string') return space
    if (space === null && choices.needsSpace) return 'Space missing: you manage the devices of some spaces'
    const identity = `${model} ${mac} ${line.sn}`
    const same = earlier.get(identity)
    if (same !== undefined) return `Same device as line ${same}`
    earlier.set(identity, line.line)
    const optional = { ...(line.name ? { name: line.name } : {}), ...(space ? { space_id: space } : {}) }
    return { mac, sn: line.sn, model_id: model, ...optional }
  }
  return lines.map((line) => {
    const checked = check(line)
    if (typeof checked === 'string') return { ...line, claim: null, problem: checked }
    if (!('problem' in checked)) return { ...line, claim: checked, problem: null }
    const path = pathIn(line.space)
    // What was meant as an ID is no name for a space.
    const creatable = checked.unknown && problemOf(path) === null && !isId(line.space)
    return { ...line, claim: null, problem: checked.problem, ...(creatable ? { missingSpace: path } : {}) }
  })
}

/** `Building A / Floor 2` by the id of the space. */
export function spacePaths(spaces: readonly Space[]): Map<string, string> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const paths = new Map<string, string>()
  const pathOf = ({ id, name, parent_id }: Space): string => {
    const known = paths.get(id)
    if (known !== undefined) return known
    const parent = parent_id ? byId.get(parent_id) : undefined
    const path = parent ? `${pathOf(parent)} / ${name}` : name
    paths.set(id, path)
    return path
  }
  for (const space of spaces) pathOf(space)
  return paths
}

/** `unknown`: nothing has this name, so that it could be created. */
interface NotFound {
  problem: string
  unknown: boolean
}

/** Finds a thing by its id, or by the first kind of text that names exactly one: a space by its path, then by its name. */
function finder<Thing extends { id: string }>(
  things: readonly Thing[],
  what: string,
  textsOf: (thing: Thing) => string[],
): (text: string) => string | NotFound {
  const kinds: Map<string, string[]>[] = [new Map(things.map(({ id }) => [id, [id]]))]
  for (const thing of things) {
    for (const [index, text] of textsOf(thing).entries()) {
      const kind = kinds[index + 1] ?? new Map<string, string[]>()
      kinds[index + 1] = kind
      kind.set(folded(text), [...(kind.get(folded(text)) ?? []), thing.id])
    }
  }
  return (text) => {
    const found = kinds.map((kind) => kind.get(folded(text))).find((ids) => ids !== undefined)
    if (!found) return { problem: `Unknown ${what} “${shortened(text)}”`, unknown: true }
    if (found.length === 1) return found[0]!
    const better = what === 'space' ? 'Use its path or ID' : 'Use its ID'
    return { problem: `${found.length} ${what}s are called “${shortened(text)}”. ${better}`, unknown: false }
  }
}

/** Case, and spaces around the slashes of a path, make no difference. */
function folded(text: string): string {
  return text
    .split('/')
    .map((part) => part.trim().toLowerCase())
    .join('/')
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text.trim())
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
