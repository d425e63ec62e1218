import { Button, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { SpaceSummary } from '../api/organization.ts'
import { useMayChange, useMayThere } from '../api/permitted.ts'
import { StatusTiles, sumOf } from '../components/device/status-tiles.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { formatNumber } from '../components/page/numbers.ts'
import { Loaded, Page } from '../components/page/page.tsx'
import { Attention } from './attention.tsx'
import { SpaceChart } from './space-chart.tsx'
import { SpaceChildren } from './space-children.tsx'
import { CommandSpace } from './space-command.tsx'
import { SpaceDialog, SpaceMenuItems } from './space-dialogs.tsx'
import { useMoveSpace } from './space-move.tsx'
import type { SpaceAction } from './space-tree.ts'
import { SyncedBadge } from './synced-badge.tsx'

/** One space, with everything in it and below it. */
export function Space() {
  const { spaceId = '' } = useParams()
  const summary = useRead('GET /core/v1/organization/spaces/{id}/summary', { id: spaceId }, { every: 15_000 })
  return <Loaded of={summary}>{(space) => <SpacePage key={space.id} space={space} />}</Loaded>
}

function SpacePage({ space }: { space: SpaceSummary }) {
  const { customerId } = useParams()
  const navigate = useNavigate()
  const at = (path: string) => `/customer/${customerId}${path}`
  const [dialog, setDialog] = useState<SpaceAction | null>(null)
  const { move, failure } = useMoveSpace()
  const mayChange = useMayThere('spaces: manage', space.id)
  const mayCommand = useMayThere('devices: command', space.id)
  const [commanding, setCommanding] = useState(false)
  const maySeeAccess = useMayChange()
  const devices = sumOf(space.devices)
  const devicesOf = (status: string) => at(`/devices?space_id=${space.id}&status=${status}`)
  const above = [{ label: 'Spaces', to: at('/spaces') }]
  for (const { id, name } of space.above) above.push({ label: name, to: at(`/spaces/${id}`) })
  return (
    <Page
      title={space.name}
      wide
      badges={space.synced && <SyncedBadge />}
      above={above}
      about={`${plural(devices, 'device')} in this space${space.spaces_below > 0 ? ` and the ${plural(space.spaces_below, 'space')} below it` : ''}.`}
      actions={
        <>
          <Button variant="default" onClick={() => navigate(at(`/devices?space_id=${space.id}`))}>
            Show devices
          </Button>
          {mayCommand && devices > 0 && (
            <Button variant="default" onClick={() => setCommanding(true)}>
              Send command
            </Button>
          )}
          {maySeeAccess && (
            <Button variant="default" onClick={() => navigate(at(`/access?space_id=${space.id}`))}>
              Access
            </Button>
          )}
          {mayChange && (
            <ActionMenu label={`Actions for ${space.name}`} needs="spaces: manage">
              <SpaceMenuItems space={space} movable={!space.synced && !space.synced_below} onAction={setDialog} />
            </ActionMenu>
          )}
        </>
      }
    >
      {failure}
      <StatusTiles counts={space.devices} to={devicesOf} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
        <SpaceChart spaceId={space.id} empty={devices === 0} />
        <Attention
          limit={4}
          counts={space.devices}
          to={devicesOf}
          spaceId={space.id}
          none={devices === 0 ? 'No devices here yet.' : 'No device here has an alarm or error, or is offline.'}
        />
      </SimpleGrid>
      <SpaceChildren space={space} onCreate={() => setDialog({ kind: 'create', parent: space })} />
      {commanding && <CommandSpace space={space} onClose={() => setCommanding(false)} />}
      <SpaceDialog
        action={dialog}
        onMove={move}
        onClose={() => setDialog(null)}
        onRemoved={() => navigate(at(space.parent_id ? `/spaces/${space.parent_id}` : '/spaces'))}
      />
    </Page>
  )
}

function plural(count: number, unit: string): string {
  return `${formatNumber(count)} ${count === 1 ? unit : `${unit}s`}`
}
