import { Badge } from '@mantine/core'
import { Icon } from '../components/page/icon.tsx'

export function SyncedBadge() {
  return (
    <Badge
      size="xs"
      color="brand"
      leftSection={<Icon name="refresh" size={10} />}
      data-tooltip="Synced with another cloud by a connected application. Move it there."
    >
      Synced
    </Badge>
  )
}
