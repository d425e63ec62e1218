import { Anchor, Button, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAll } from '../api/api.tsx'
import type { Space } from '../api/organization.ts'
import { useMayChange } from '../api/session.tsx'
import { ActionMenu } from '../components/action-menu.tsx'
import { Icon } from '../components/icon.tsx'
import { LoadedList } from '../components/list.tsx'
import { Empty, Page } from '../components/page.tsx'
import { SpaceDialog, SpaceMenuItems } from './space-dialogs.tsx'
import { useMoveSpace } from './space-move.tsx'
import { isMovable, type SpaceAction, treeOf } from './space-tree.ts'
import { SpaceTreeView } from './space-tree-view.tsx'

export function Spaces() {
  const { customerId } = useParams()
  const list = useAll<Space>('/spaces')
  const [dialog, setDialog] = useState<SpaceAction | null>(null)
  const { move, failure } = useMoveSpace()
  const mayChange = useMayChange()
  const items = list.items.length
  const create = mayChange && (
    <Button leftSection={<Icon name="add" />} onClick={() => setDialog({ kind: 'create', parent: null })}>
      New space
    </Button>
  )
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
              Start with a site or a building, then add floors and rooms. Assign devices when you claim them, or later.
            </Empty>
          }
        >
          {(items) => (
            <SpaceTreeView
              roots={treeOf(items)}
              hasMore={list.hasNextPage}
              to={({ id }) => `/customer/${customerId}/spaces/${id}`}
              isMovable={(space) => mayChange && isMovable(space)}
              onMove={move}
              onAction={(action) => mayChange && setDialog(action)}
              devicesOf={(space) => (
                <Anchor
                  component={Link}
                  to={`/customer/${customerId}/devices?space_id=${space.id}`}
                  size="xs"
                  tabIndex={-1}
                >
                  Devices
                </Anchor>
              )}
              menu={(space) => (
                <ActionMenu label={`Actions for ${space.name}`} size="sm" tabIndex={-1}>
                  <SpaceMenuItems space={space} movable={isMovable(space)} onAction={setDialog} />
                </ActionMenu>
              )}
            />
          )}
        </LoadedList>
      </Paper>
      <SpaceDialog action={dialog} onMove={move} onClose={() => setDialog(null)} />
    </Page>
  )
}
