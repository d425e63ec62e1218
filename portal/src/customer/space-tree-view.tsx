import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { flatten, isUnder, type SpaceAction, type SpaceNode } from './space-tree.ts'

interface TreeProps {
  roots: SpaceNode[]
  onMove: (space: SpaceNode, parentId: string | null) => void
  onAction: (action: SpaceAction) => void
  devicesOf: (space: SpaceNode) => ReactNode
  menu: (space: SpaceNode) => ReactNode
}

/** A tree after the ARIA practices: one tab stop, arrow keys inside; M moves, F2 renames, Delete deletes. */
export function SpaceTreeView({ roots, onMove, onAction, devicesOf, menu }: TreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState<string | null>(null)
  const [dragged, setDragged] = useState<SpaceNode | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const items = useRef(new Map<string, HTMLElement>())
  const rows = flatten(roots, (id) => !closed.has(id))
  const current = rows.some(({ id }) => id === at) ? at : rows[0]?.id

  const focus = (node: SpaceNode | undefined) => {
    if (!node) return
    setAt(node.id)
    items.current.get(node.id)?.focus()
  }
  const toggle = (id: string, open: boolean) => {
    const next = new Set(closed)
    if (open) next.delete(id)
    else next.add(id)
    setClosed(next)
  }
  const onKey = (event: KeyboardEvent, node: SpaceNode, index: number) => {
    const open = node.children.length > 0 && !closed.has(node.id)
    const parent = rows.find(({ id }) => id === node.parent_id)
    const keys = new Map<string, () => void>([
      ['ArrowDown', () => focus(rows[index + 1])],
      ['ArrowUp', () => focus(rows[index - 1])],
      ['Home', () => focus(rows[0])],
      ['End', () => focus(rows.at(-1))],
      ['ArrowRight', () => (open ? focus(rows[index + 1]) : toggle(node.id, true))],
      ['ArrowLeft', () => (open ? toggle(node.id, false) : focus(parent))],
      ['m', () => onAction({ kind: 'move', space: node })],
      ['F2', () => onAction({ kind: 'rename', space: node })],
      ['Delete', () => onAction({ kind: 'remove', space: node })],
    ])
    const action = keys.get(event.key)
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  const canDrop = (parentId: string | null) =>
    dragged !== null && dragged.parent_id !== parentId && (parentId === null || !isUnder(dragged, parentId))
  const dropProps = (parentId: string | null) => ({
    onDragOver: (event: React.DragEvent) => {
      if (!canDrop(parentId)) return
      event.preventDefault()
      event.stopPropagation()
      setOver(parentId ?? 'top')
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: React.DragEvent) => {
      event.preventDefault()
      event.stopPropagation()
      setOver(null)
      if (dragged && canDrop(parentId)) onMove(dragged, parentId)
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
            {...(node.children.length > 0 ? { 'aria-expanded': !closed.has(node.id) } : {})}
            tabIndex={node.id === current ? 0 : -1}
            ref={(element: HTMLDivElement | null) => {
              if (element) items.current.set(node.id, element)
              else items.current.delete(node.id)
            }}
            onKeyDown={(event) => {
              if (event.target === event.currentTarget) onKey(event, node, index)
            }}
            onFocus={() => setAt(node.id)}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', node.name)
              event.dataTransfer.effectAllowed = 'move'
              setDragged(node)
            }}
            onDragEnd={() => setDragged(null)}
            {...dropProps(node.id)}
            className={over === node.id ? 'drop-target clickable-row' : 'clickable-row'}
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
              onClick={() => toggle(node.id, closed.has(node.id))}
            >
              <Icon name={closed.has(node.id) ? 'right' : 'down'} size={14} />
            </ActionIcon>
            <Text size="sm" truncate>
              {node.name}
            </Text>
            {node.synced && <SyncedBadge />}
            <Group gap={8} ml="auto" wrap="nowrap">
              {devicesOf(node)}
              {menu(node)}
            </Group>
          </Group>
        ))}
      </div>
      {dragged?.parent_id && (
        <Text
          {...dropProps(null)}
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

function SyncedBadge() {
  return (
    <Tooltip label="Synced with another cloud by a connected application. Move it there." multiline w={260}>
      <Badge size="xs" color="brand" leftSection={<Icon name="refresh" size={10} />}>
        Synced
      </Badge>
    </Tooltip>
  )
}
