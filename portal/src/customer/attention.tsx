import { Anchor, Box, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useDictionary } from '../api/dictionary.ts'
import { type AttentionItem, deviceName, type Value } from '../api/organization.ts'
import { formatValue, labelOf } from '../components/data-points.ts'
import { Icon } from '../components/icon.tsx'
import { StatusBadge } from '../components/status.tsx'
import { When } from '../components/when.tsx'

interface AttentionProps {
  items: AttentionItem[]
  at: (path: string) => string
  /** What is said when there is nothing. */
  none: string
}

/** The first devices to look at, in the order of the service: alarms, errors, offline, never seen. */
export function Attention({ items, at, none }: AttentionProps) {
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )
  }
  return (
    <Stack gap={8} component="ul" className="plain-list" aria-label="Devices that need attention">
      {items.map((item) => (
        <Group key={item.id} component="li" justify="space-between" wrap="nowrap" gap="sm">
          <Anchor component={Link} to={at(`/devices/${item.id}`)} size="sm" truncate>
            {deviceName(item)}
          </Anchor>
          <Group gap="sm" wrap="nowrap">
            {item.alarm ? (
              <AlarmText modelId={item.model_id} alarm={item.alarm} />
            ) : (
              <StatusBadge status={item.status} />
            )}
            <Box miw={74} ta="right">
              <When at={item.alarm ? item.last_seen_at : item.status_at} short size="xs" c="dimmed" />
            </Box>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}

/** In the partner's words, once they are loaded. */
function AlarmText({ modelId, alarm }: { modelId: string; alarm: NonNullable<AttentionItem['alarm']> }) {
  const dictionary = useDictionary(modelId) ?? new Map()
  const value = alarm.value as Value
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <Text span c="var(--mantine-color-error)" lh={1}>
        <Icon name="alert" size={14} />
      </Text>
      <Text span size="sm" c="var(--mantine-color-error)" truncate maw={190}>
        {labelOf(dictionary, alarm.key)}: {formatValue(dictionary, alarm.key, value)}
      </Text>
    </Group>
  )
}
