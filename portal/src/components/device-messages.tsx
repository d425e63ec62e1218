import { Badge, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePages } from '../api/api.tsx'
import type { Message } from '../api/organization.ts'
import { Copy } from './copy.tsx'
import { Listed, More } from './listed.tsx'
import { Empty } from './page.tsx'
import { When } from './when.tsx'

/** What the device sent, as it sent it, newest first. */
export function DeviceMessages({ deviceId }: { deviceId: string }) {
  const [since] = useState(() => new Date(Date.now() - 30 * 86_400_000).toISOString())
  const list = usePages<Message>(`/devices/${deviceId}/history`, { limit: 25, order: 'newest_first', from: since })
  return (
    <Listed
      list={list}
      empty={
        <Empty icon="log" title="No messages yet">
          Messages are kept for 30 days, unless the service is set otherwise.
        </Empty>
      }
    >
      {(messages) => (
        <Stack gap={0}>
          {messages.map((message) => (
            <Group key={`${message.timestamp}${message.received_at}${message.message_id}`} gap="xs" py={6}>
              <Group gap={6} w={170} wrap="nowrap">
                <Copy value={JSON.stringify(message)} label="Copy message" />
                <Stack gap={2} align="flex-start">
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
              </Group>
              <Code block style={{ flex: '1 1 240px', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
                {JSON.stringify(message.telemetries)}
              </Code>
            </Group>
          ))}
          <More list={list}>Show older</More>
          {!list.hasNextPage && (
            <Text size="xs" c="dimmed" ta="center">
              That is all that is kept.
            </Text>
          )}
        </Stack>
      )}
    </Listed>
  )
}
