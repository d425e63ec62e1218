import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { AuditEvent, Device, DeviceCounts, Info } from '../api/organization.ts'
import { deviceName } from '../api/organization.ts'
import { Copied } from '../components/copy.tsx'
import { EventSentence } from '../components/event-sentence.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Loaded, Page, Panel } from '../components/page.tsx'
import { StatusBadge, statusColor, statuses } from '../components/status.tsx'
import { When } from '../components/when.tsx'
import { useCustomerReader } from './audit-reader.ts'
import { CustomerOnboarding } from './onboarding.tsx'

export function Overview() {
  const { customerId } = useParams()
  const at = (path: string) => `/customer/${customerId}${path}`
  const info = useRead<Info>('/info', {}, { every: 15_000 })
  const counts = useRead<DeviceCounts>('/devices/counts', {}, { every: 5_000 })
  const events = useRead<{ items: AuditEvent[] }>('/audit-events', { limit: 8 }, { every: 15_000 })
  const reader = useCustomerReader(events.data?.items ?? [])
  const failing = usePages<Device>('/devices', { status: 'error', limit: 5 })
  return (
    <Page
      title={info.data?.name ?? 'Overview'}
      {...(info.data?.lab ? { about: 'A lab tenant, for testing without affecting a real customer.' } : {})}
    >
      <Loaded of={info}>
        {(data) => (
          <Stack gap="md">
            <CustomerOnboarding info={data} />
            <DevicesByStatus counts={counts.data} at={at} />
            {counts.data && Object.values(counts.data).every((count) => count === 0) && (
              <Paper withBorder>
                <Empty
                  icon="device"
                  title="Claim your first device"
                  action={
                    <Button component={Link} to={at('/claim')} leftSection={<Icon name="add" />}>
                      Claim a device
                    </Button>
                  }
                >
                  Enter the MAC and serial number on its label and choose its model.
                </Empty>
              </Paper>
            )}
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Panel
                title="Recent activity"
                actions={
                  <Anchor component={Link} to={at('/settings/audit-log')} size="sm">
                    Audit log
                  </Anchor>
                }
              >
                <Loaded of={events}>
                  {({ items }) =>
                    items.length === 0 ? (
                      <Text size="sm" c="dimmed">
                        No activity yet.
                      </Text>
                    ) : (
                      <Stack gap={8}>
                        {items.map((event) => (
                          <Group key={event.id} justify="space-between" wrap="nowrap" gap="xs">
                            <EventSentence event={event} reader={reader} />
                            <When at={event.at} size="xs" c="dimmed" />
                          </Group>
                        ))}
                      </Stack>
                    )
                  }
                </Loaded>
              </Panel>
              <Stack gap="md">
                <Panel title="Needs attention">
                  {failing.items.length === 0 ? (
                    <Text size="sm" c="dimmed">
                      No device reports an error.
                    </Text>
                  ) : (
                    <Stack gap={8}>
                      {failing.items.slice(0, 5).map((device) => (
                        <Group key={device.id} justify="space-between" wrap="nowrap">
                          <Anchor component={Link} to={at(`/devices/${device.id}`)} size="sm" truncate>
                            {deviceName(device)}
                          </Anchor>
                          <StatusBadge status={device.status} />
                        </Group>
                      ))}
                    </Stack>
                  )}
                </Panel>
                <Panel title="This organization">
                  <Group gap="xl" className="facts">
                    <Count label="Users" value={data.counts.users} to={at('/users')} />
                    <Count label="Groups" value={data.counts.groups} to={at('/groups')} />
                    <Count label="Spaces" value={data.counts.spaces} to={at('/spaces')} />
                  </Group>
                  <Text size="xs" c="dimmed" mt="sm">
                    ID
                  </Text>
                  <Copied value={data.id} />
                </Panel>
              </Stack>
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Count({ label, value, to }: { label: string; value: number; to: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Anchor component={Link} to={to} fw={600} c="var(--mantine-color-text)">
        {value.toLocaleString('en')}
      </Anchor>
    </div>
  )
}

/** The service stops counting here. */
const maxCounted = 100_000

function countText(count: number): string {
  return count >= maxCounted ? '100,000+' : count.toLocaleString('en')
}

function DevicesByStatus({ counts, at }: { counts: DeviceCounts | undefined; at: (path: string) => string }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {statuses.map(({ value, label }) => (
        <Paper
          key={value}
          withBorder
          p="sm"
          component={Link}
          to={at(`/devices?status=${value}`)}
          style={{ color: 'inherit', textDecoration: 'none' }}
          className="clickable-row"
        >
          <Group gap={6}>
            <span className="status-dot" style={{ background: statusColor(value) }} />
            <Text size="sm" c="dimmed">
              {label}
            </Text>
          </Group>
          <Title order={3} component="div" fz={26} mt={2} className="numbers">
            {counts ? countText(counts[value]) : '…'}
          </Title>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
