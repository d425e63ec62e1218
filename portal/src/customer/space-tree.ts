import type { Space } from '../api/organization.ts'
import { compareNames } from '../locale.ts'

export interface SpaceNode extends Space {
  children: SpaceNode[]
  depth: number
}

export type SpaceAction =
  | { kind: 'create'; parent: Space | null }
  | { kind: 'rename'; space: Space }
  | { kind: 'move'; space: Space }
  | { kind: 'remove'; space: Space }

export function treeOf(spaces: readonly Space[]): SpaceNode[] {
  const nodes = new Map(spaces.map((space) => [space.id, { ...space, children: [] as SpaceNode[], depth: 0 }]))
  const roots: SpaceNode[] = []
  for (const node of nodes.values()) {
    const parent = node.parent_id ? nodes.get(node.parent_id) : undefined
    if (parent) parent.children.push(node)
    // While its parent is not loaded yet, a space is shown at the top level.
    else roots.push(node)
  }
  const arrange = (siblings: SpaceNode[], depth: number) => {
    siblings.sort(compareNames)
    for (const node of siblings) {
      node.depth = depth
      arrange(node.children, depth + 1)
    }
  }
  arrange(roots, 0)
  return roots
}

export function flatten(nodes: readonly SpaceNode[], opened: (id: string) => boolean = () => true): SpaceNode[] {
  return nodes.flatMap((node) => [node, ...(opened(node.id) ? flatten(node.children, opened) : [])])
}

export function isUnder(node: SpaceNode, id: string): boolean {
  return node.id === id || node.children.some((child) => isUnder(child, id))
}

/** A synced space stays where it is, and so does one with a synced space below it (contract 1.6). */
export function isMovable(node: SpaceNode): boolean {
  return !node.synced && node.children.every(isMovable)
}

/** More than anybody reads; a longer text finds fewer. */
const maxMatches = 200

export interface FoundSpaces {
  /** Those that match, with the spaces above them; a match with none below that matches keeps its children. */
  roots: SpaceNode[]
  matches: ReadonlySet<string>
  /** Those above a match. */
  opened: ReadonlySet<string>
  /** All that match, shown or not. */
  total: number
}

/** Every word must be in the name of the space or of one above it, and one of them in its own: as the pickers search. */
export function searchTree(roots: readonly SpaceNode[], text: string): FoundSpaces {
  const words = text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean)
  const matches = new Set<string>()
  const opened = new Set<string>()
  let total = 0
  const search = (node: SpaceNode, missing: readonly string[]): SpaceNode[] => {
    const name = node.name.toLowerCase()
    const rest = missing.filter((word) => !name.includes(word))
    const isMatch = rest.length === 0 && words.some((word) => name.includes(word))
    if (isMatch) {
      total += 1
      if (matches.size < maxMatches) matches.add(node.id)
    }
    const below = node.children.flatMap((child) => search(child, rest))
    if (below.length > 0) opened.add(node.id)
    if (below.length === 0 && !matches.has(node.id)) return []
    return [{ ...node, children: below.length > 0 ? below : node.children }]
  }
  return { roots: roots.flatMap((root) => search(root, words)), matches, opened, total }
}
