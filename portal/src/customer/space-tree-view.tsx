import { ActionIcon, Anchor, Group, Text } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Icon } from '../components/page/icon.tsx'
import { type Target, topLevel } from './space-move.tsx'
import { type FoundSpaces, flatten, isUnder, type SpaceAction, type SpaceNode } from './space-tree.ts'
import { SyncedBadge } from './synced-badge.tsx'

interface TreeProps {
  roots: SpaceNode[]
  /** Whether more spaces are still loading. */
  hasMore: boolean
  /** What a search found: only those above a match are open at first. */
  found?: Pick<FoundSpaces, 'matches' | 'opened'>
  /** Where a space has its page. */
  to: (space: SpaceNode) => string
  isMovable: (space: SpaceNode) => boolean
  onMove: (space: SpaceNode, to: Target) => void
  /** Whether a space may be moved to the top level. */
  toTop: boolean
  onAction: (action: SpaceAction) => void
  devicesOf: (space: SpaceNode) => ReactNode
  menu: (space: SpaceNode) => ReactNode
}

/**
 * A larger tree is closed at first: all of its rows at once would be slow and hard to survey. It is one page of the list, so
 * that the first response decides, and a tree does not close while the rest arrives.
 */
const maxOpened = 100

/**
 * A tree after the ARIA practices: one tab stop, arrow keys inside; Enter opens a space, M moves, F2 renames, Delete
 * deletes.
 */
export function SpaceTreeView({
  roots,
  hasMore,
  found,
  to,
  isMovable,
  onMove,
  toTop,
  onAction,
  devicesOf,
  menu,
}: TreeProps) {
  const navigate = useNavigate()
  const [large] = useState(() => hasMore || flatten(roots).length > maxOpened)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpenAtFirst = (id: string) => (found ? found.opened.has(id) : !large)
  const isOpen = (id: string) => toggled.has(id) !== isOpenAtFirst(id)
  const [at, setAt] = useState<string | null>(null)
  const [dragged, setDragged] = useState<SpaceNode | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const items = useRef(new Map<string, HTMLElement>())
  const rows = flatten(roots, isOpen)
  const current = rows.some(({ id }) => id === at) ? at : rows[0]?.id

  const focus = (node: SpaceNode | undefined) => {
    if (!node) return
    setAt(node.id)
    items.current.get(node.id)?.focus()
  }
  const toggle = (id: string, open: boolean) => {
    const next = new Set(toggled)
    if (open === isOpenAtFirst(id)) next.delete(id)
    else next.add(id)
    setToggled(next)
  }
  const onKey = (event: KeyboardEvent, node: SpaceNode, index: number) => {
    const open = node.children.length > 0 && isOpen(node.id)
    const parent = rows.find(({ id }) => id === node.parent_id)
    const keys = new Map<string, () => unknown>([
      ['ArrowDown', () => focus(rows[index + 1])],
      ['ArrowUp', () => focus(rows[index - 1])],
      ['Home', () => focus(rows[0])],
      ['End', () => focus(rows.at(-1))],
      ['ArrowRight', () => (open ? focus(rows[index + 1]) : toggle(node.id, true))],
      ['ArrowLeft', () => (open ? toggle(node.id, false) : focus(parent))],
      ['Enter', () => navigate(to(node))],
      ['m', () => isMovable(node) && onAction({ kind: 'move', space: node })],
      ['F2', () => onAction({ kind: 'rename', space: node })],
      ['Delete', () => onAction({ kind: 'remove', space: node })],
    ])
    const action = keys.get(event.key)
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  const canDrop = ({ id }: Target) =>
    dragged !== null && dragged.parent_id !== id && (id === null || !isUnder(dragged, id))
  const dropProps = (target: Target) => ({
    onDragOver: (event: React.DragEvent) => {
      if (!canDrop(target)) return
      event.preventDefault()
      event.stopPropagation()
      setOver(target.id ?? 'top')
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: React.DragEvent) => {
      event.preventDefault()
      event.stopPropagation()
      setOver(null)
      if (dragged && canDrop(target)) onMove(dragged, target)
      setDragged(null)
    },
  })

  return (
    <>
      <div role="tree" aria-label="Spaces">
        {rows.map((node, index) => (
          <Group
            key={node.id}
            role="treeitem"
            aria-level={node.depth + 1}
            aria-label={node.synced ? `${node.name}, synced` : node.name}
            aria-selected={node.id === current}
            {...(node.children.length > 0 ? { 'aria-expanded': isOpen(node.id) } : {})}
            tabIndex={node.id === current ? 0 : -1}
            ref={(element: HTMLDivElement | null) => {
              if (element) items.current.set(node.id, element)
              else items.current.delete(node.id)
            }}
            onKeyDown={(event) => {
              if (event.target === event.currentTarget) onKey(event, node, index)
            }}
            onFocus={() => setAt(node.id)}
            draggable={isMovable(node)}
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', node.name)
              event.dataTransfer.effectAllowed = 'move'
              setDragged(node)
            }}
            onDragEnd={() => setDragged(null)}
            {...dropProps(node)}
            className={over === node.id ? 'drop-target clickable-row tree-row' : 'clickable-row tree-row'}
            gap={6}
            px={6}
            py={4}
            pl={6 + node.depth * 22}
            wrap="nowrap"
            style={{ borderRadius: 6 }}
          >
            <ActionIcon
              variant="transparent"
              color="gray"
              size="sm"
              tabIndex={-1}
              aria-hidden="true"
              style={{ visibility: node.children.length > 0 ? 'visible' : 'hidden' }}
              onClick={() => toggle(node.id, !isOpen(node.id))}
            >
              <Icon name={isOpen(node.id) ? 'down' : 'right'} size={14} />
            </ActionIcon>
            <Anchor
              component={Link}
              to={to(node)}
              size="sm"
              className="breakable"
              draggable={false}
              tabIndex={-1}
              {...(found ? (found.matches.has(node.id) ? { fw: 600 } : { c: 'dimmed' }) : {})}
            >
              {node.name}
            </Anchor>
            {node.synced && <SyncedBadge />}
            <Group gap={8} ml="auto" wrap="nowrap">
              {devicesOf(node)}
              {menu(node)}
            </Group>
          </Group>
        ))}
      </div>
      {toTop && dragged?.parent_id && (
        <Text
          {...dropProps(topLevel)}
          className={over === 'top' ? 'drop-target' : ''}
          size="sm"
          c="dimmed"
          ta="center"
          p="sm"
          mt="xs"
          style={{ border: '1px dashed var(--mantine-color-default-border)', borderRadius: 6 }}
        >
          Drop here to move it to the top level
        </Text>
      )}
    </>
  )
}
