import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePages } from '../api/api.tsx'
import type { Message } from '../api/organization.ts'
import { Copy } from './copy.tsx'
import { Empty, Failure, Loading } from './page.tsx'
import { When } from './when.tsx'

/** What the device sent, as it sent it, newest first. */
export function DeviceMessages({ deviceId }: { deviceId: string }) {
  const [since] = useState(() => new Date(Date.now() - 30 * 86_400_000).toISOString())
  const list = usePages<Message>(`/devices/${deviceId}/history`, { limit: 25, order: 'newest_first', from: since })
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />
  if (list.isPending) return <Loading />
  if (list.items.length === 0) {
    return (
      <Empty icon="log" title="No messages yet">
        Messages are kept for 30 days, unless the service is set otherwise.
      </Empty>
    )
  }
  return (
    <Stack gap={0}>
      {list.items.map((message) => {
        const text = JSON.stringify(message.telemetries)
        return (
          <Group
            key={`${message.timestamp}${message.received_at}${message.message_id}`}
            gap="sm"
            wrap="nowrap"
            align="flex-start"
            py={6}
          >
            <Stack gap={2} w={130} style={{ flex: 'none' }}>
              <When at={message.timestamp} size="sm" />
              {message.status && (
                <Badge
                  size="xs"
                  color={message.status === 'online' ? 'green' : message.status === 'error' ? 'red' : 'gray'}
                >
                  {message.status}
                </Badge>
              )}
            </Stack>
            <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {text}
            </Code>
            <Copy value={JSON.stringify(message)} label="Copy message" />
          </Group>
        )
      })}
      {list.hasNextPage && (
        <Group justify="center" p="sm">
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        </Group>
      )}
      {!list.hasNextPage && (
        <Text size="xs" c="dimmed" ta="center">
          That is all that is kept.
        </Text>
      )}
    </Stack>
  )
}
