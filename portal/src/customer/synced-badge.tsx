import { Badge, Tooltip } from '@mantine/core'
import { Icon } from '../components/icon.tsx'

export function SyncedBadge() {
  return (
    <Tooltip label="Synced with another cloud by a connected application. Move it there." multiline w={260}>
      <Badge size="xs" color="brand" leftSection={<Icon name="refresh" size={10} />}>
        Synced
      </Badge>
    </Tooltip>
  )
}
