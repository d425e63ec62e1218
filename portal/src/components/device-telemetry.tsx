import { Badge, Code, Grid, Group, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { DataPoint, Message } from '../api/organization.ts'
import { AddressTabs } from './address-tabs.tsx'
import { Copy } from './copy.tsx'
import { DeviceChart } from './device-chart.tsx'
import { DeviceValues } from './device-values.tsx'
import { LoadedList, LoadMore } from './list.tsx'
import { Empty, Panel } from './page.tsx'
import { When } from './when.tsx'

interface DeviceWithState {
  id: string
  last_seen_at: string | null
  state: Record<string, DataPoint>
}

/** Latest values, their history, and the raw messages. */
export function DeviceTelemetry({ device }: { device: DeviceWithState }) {
  const [chartKeys, setChartKeys] = useChartKeys(device.state)
  return (
    <AddressTabs
      tabs={[
        {
          value: 'now',
          label: 'Values and chart',
          content: (
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
                <DeviceChart deviceId={device.id} keys={chartKeys} arrived={device.last_seen_at} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
                <Panel title="Latest values">
                  <DeviceValues state={device.state} chartKeys={chartKeys} onChart={setChartKeys} />
                </Panel>
              </Grid.Col>
            </Grid>
          ),
        },
        {
          value: 'messages',
          label: 'Raw messages',
          content: (
            <Panel>
              <DeviceMessages deviceId={device.id} />
            </Panel>
          ),
        },
      ]}
    />
  )
}

/** The data points in the chart are in the address; by default the first numeric one. */
function useChartKeys(state: DeviceWithState['state']): [string[], (keys: string[]) => void] {
  const [search, setSearch] = useSearchParams()
  const first = Object.keys(state)
    .sort((a, b) => a.localeCompare(b))
    .find((key) => typeof state[key]?.value === 'number')
  const fromAddress = search.get('keys') ?? first ?? ''
  const chartKeys = useMemo(() => fromAddress.split(',').filter(Boolean), [fromAddress])
  const setChartKeys = (keys: string[]) =>
    setSearch(
      (now) => {
        now.set('keys', keys.join(','))
        return now
      },
      { replace: true },
    )
  return [chartKeys, setChartKeys]
}

/** Newest first. */
function DeviceMessages({ deviceId }: { deviceId: string }) {
  const [since] = useState(() => new Date(Date.now() - 30 * 86_400_000).toISOString())
  const list = usePages<Message>(`/devices/${deviceId}/history`, { limit: 25, order: 'newest_first', from: since })
  return (
    <LoadedList
      list={list}
      empty={
        <Empty icon="log" title="No messages yet">
          Messages are kept for 30 days by default.
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
