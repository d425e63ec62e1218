import { Anchor, Button, Group, Paper, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAll } from '../api/api.tsx'
import { useReach, useWithin } from '../api/permitted.ts'
import { may } from '../api/reach.ts'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { LoadedList } from '../components/table/list.tsx'
import { SeenSpaces } from './seen-spaces.tsx'
import { SpaceDialog, SpaceMenuItems } from './space-dialogs.tsx'
import { ImportSpaces } from './space-import.tsx'
import { useMoveSpace } from './space-move.tsx'
import { SearchSpaces } from './space-search.tsx'
import { flatten, isMovable, type SpaceAction, type SpaceNode, searchTree, treeOf } from './space-tree.ts'
import { SpaceTreeView } from './space-tree-view.tsx'

export function Spaces() {
  const { customerId } = useParams()
  const list = useAll('GET /core/v1/organization/spaces')
  const [dialog, setDialog] = useState<SpaceAction | null>(null)
  const { move, failure } = useMoveSpace()
  const reach = useReach()
  const managed = useWithin('spaces: manage')
  const seen = useWithin('spaces: read')
  const mayChange = managed === null || managed.length > 0
  const items = list.items.length
  const [importing, setImporting] = useState(false)
  const [search, setSearch] = useState('')
  // A new space at the top would be outside of what somebody of some spaces manages.
  const create = managed === null && (
    <Group gap="xs">
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setImporting(true)}>
        Import
      </Button>
      <Button leftSection={<Icon name="add" />} onClick={() => setDialog({ kind: 'create', parent: null })}>
        New space
      </Button>
    </Group>
  )
  const roots = useMemo(() => treeOf(list.items), [list.items])
  const nodes = useMemo(() => new Map(flatten(roots).map((node) => [node.id, node])), [roots])
  const found = useMemo(() => (search ? searchTree(roots, search) : null), [roots, search])
  const isManaged = (space: { id: string }) => may(reach, 'spaces: manage', withAbove(nodes, space.id))
  const tree = {
    hasMore: list.hasNextPage,
    to: ({ id }: SpaceNode) => `/customer/${customerId}/spaces/${id}`,
    // By the whole tree: a search may leave out a synced space below it.
    isMovable: (space: SpaceNode) => isManaged(space) && isMovable(nodes.get(space.id)!),
    onMove: move,
    onAction: (action: SpaceAction) => {
      const on = 'space' in action ? action.space : action.parent
      if (on && isManaged(on)) setDialog(action)
    },
    toTop: managed === null,
    devicesOf: (space: SpaceNode) => (
      <Anchor component={Link} to={`/customer/${customerId}/devices?space_id=${space.id}`} size="xs" tabIndex={-1}>
        Devices
      </Anchor>
    ),
    menu: (space: SpaceNode) =>
      isManaged(space) && (
        <ActionMenu label={`Actions for ${space.name}`} size="sm" tabIndex={-1} needs="spaces: manage">
          <SpaceMenuItems space={space} movable={isMovable(nodes.get(space.id)!)} onAction={setDialog} />
        </ActionMenu>
      ),
  }
  return (
    <Page
      title="Spaces"
      about={
        <>
          Sites, floors and rooms.
          {mayChange && items > 0 && (
            <Text span inherit visibleFrom="sm">
              {' '}
              Drag a space onto another to move it, or select it with the arrow keys and press M.
            </Text>
          )}
        </>
      }
      actions={create}
    >
      {failure}
      <Paper withBorder p="xs">
        <LoadedList
          list={list}
          empty={
            <Empty icon="tree" title="No spaces yet" action={create}>
              {create
                ? 'Start with a site or a building, then add floors and rooms, or import a list of them. Assign devices when you claim them, or later.'
                : 'As soon as an administrator creates some, they are shown here.'}{' '}
              <SeenSpaces spaces={seen} />
            </Empty>
          }
        >
          {() => (
            <>
              <SearchSpaces value={search} onChange={setSearch} found={found} loading={list.hasNextPage} />
              {/* Stays, so that what was open is open again after a search. */}
              <div hidden={found !== null}>
                <SpaceTreeView roots={roots} {...tree} />
              </div>
              {found && <SpaceTreeView key={search} roots={found.roots} found={found} {...tree} />}
            </>
          )}
        </LoadedList>
      </Paper>
      {importing && <ImportSpaces spaces={list.items} loading={list.hasNextPage} onClose={() => setImporting(false)} />}
      <SpaceDialog action={dialog} onMove={move} onClose={() => setDialog(null)} />
    </Page>
  )
}

/** A space and those above it that the person sees. */
function withAbove(nodes: ReadonlyMap<string, SpaceNode>, id: string): string[] {
  const above: string[] = []
  for (let at = nodes.get(id); at && !above.includes(at.id); at = at.parent_id ? nodes.get(at.parent_id) : undefined)
    above.push(at.id)
  return above
}
