import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, usePages } from '../../api/api.tsx'
import type { Message, Status } from '../../api/organization.ts'
import { Copy } from '../page/copy.tsx'
import { Empty } from '../page/page.tsx'
import { When } from '../page/when.tsx'
import { LoadedList, LoadMore } from '../table/list.tsx'
import { useArrivals } from './range-query.ts'
import { statusLabel } from './status.tsx'

/** With more pages open, new messages wait for a click: all pages would be read again for each of them. */
const livePages = 3

/** Newest first, and new ones as they arrive. */
export function DeviceMessages({ device }: { device: { id: string; last_seen_at: string | null } }) {
  const [since, setSince] = useState(monthAgo)
  const [missed, setMissed] = useState(false)
  const { kind } = useApi('organization', 'partner')
  const list = usePages(`GET /core/v1/${kind}/devices/{id}/history`, {
    id: device.id,
    limit: 25,
    order: 'newest_first',
    from: since,
  })
  useArrivals(device.last_seen_at, () => {
    if ((list.data?.pages.length ?? 0) <= livePages) void list.refetch({ cancelRefetch: false })
    else setMissed(true)
  })
  return (
    <LoadedList
      list={list}
      empty={
        <Empty icon="log" title="No messages yet">
          They appear here as the device sends them, and are kept for 30 days by default.
        </Empty>
      }
    >
      {(messages) => (
        <Stack gap={0}>
          {missed && (
            <Group justify="center" pb="xs">
              <Button
                size="xs"
                variant="light"
                onClick={() => {
                  setMissed(false)
                  // Another start is another list, which begins with its first page.
                  setSince(monthAgo())
                }}
              >
                Show new messages
              </Button>
            </Group>
          )}
          {messages.map((message) => (
            <MessageLine key={`${message.timestamp}${message.received_at}${message.message_id}`} message={message} />
          ))}
          <LoadMore list={list}>Show older</LoadMore>
          {!list.hasNextPage && (
            <Text size="xs" c="dimmed" ta="center">
              No older messages.
            </Text>
          )}
        </Stack>
      )}
    </LoadedList>
  )
}

function monthAgo(): string {
  return new Date(Date.now() - 30 * 86_400_000).toISOString()
}

function MessageLine({ message }: { message: Message }) {
  return (
    <Group gap="xs" py={6}>
      <Group gap={6} w={170} wrap="nowrap">
        <Copy value={JSON.stringify(message)} label="Copy message" />
        <Stack gap={2} align="flex-start">
          <When at={message.timestamp} size="sm" />
          {message.status && (
            <Badge
              size="xs"
              color={message.status === 'online' ? 'green' : message.status === 'error' ? 'red' : 'gray'}
            >
              {statusLabel(message.status as Status)}
            </Badge>
          )}
          {message.override && (
            <Text size="xs" c="dimmed">
              replaced all values
            </Text>
          )}
        </Stack>
      </Group>
      <Code block style={{ flex: '1 1 240px', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {spaced(message.telemetries)}
      </Code>
    </Group>
  )
}

/** On as few lines as it needs, which break between data points and not within a number. */
function spaced(telemetries: object): string {
  return JSON.stringify(telemetries, null, 1).replaceAll(/\n\s*/g, ' ')
}
