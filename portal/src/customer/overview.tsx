import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import { useMay, useMayChange, useWithin } from '../api/permitted.ts'
import type { NamedSpace } from '../api/reach.ts'
import { ExpiringKeys } from '../components/account/expiring-keys.tsx'
import { EventSentence } from '../components/audit/event-sentence.tsx'
import { StatusTiles } from '../components/device/status-tiles.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { formatNumber } from '../components/page/numbers.ts'
import { Empty, Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { Attention } from './attention.tsx'
import { useCustomerReader } from './audit-reader.ts'
import { CustomerOnboarding } from './onboarding.tsx'
import { SeenSpaces } from './seen-spaces.tsx'

/** What is known of the devices that the person sees; administrators also see people, requests and what happened. */
export function Overview() {
  const { customerId } = useParams()
  const mayChange = useMayChange()
  const mayClaim = useMay('devices: manage')
  const maySeeLog = useMay('audit: read')
  const seen = useWithin('devices: read')
  const at = (path: string) => `/customer/${customerId}${path}`
  const info = useRead('GET /core/v1/organization/info', {}, { every: 5_000 })
  const devicesOf = (status: string) => at(`/devices?status=${status}`)
  // The small lines and the requests may come after what people look for.
  const isShown = useLater(1_000)
  const trend = useRead(
    'GET /core/v1/organization/devices/trend',
    {},
    { every: 300_000, enabled: isShown && seen === null },
  )
  const requests = useRead(
    'GET /core/v1/organization/approval-requests',
    { limit: 4 },
    { every: 15_000, enabled: isShown && mayChange },
  )
  return (
    <Page
      title={info.data?.name ?? 'Overview'}
      wide
      about={
        seen ? (
          <SeenSpaces spaces={seen} />
        ) : (
          info.data?.lab && 'A test tenant: try things here without affecting a real customer.'
        )
      }
    >
      <Loaded of={info}>
        {(data) => (
          <Stack gap="md">
            {mayChange && <CustomerOnboarding info={data} />}
            {mayChange && <ExpiringKeys to={at('/settings/api-keys')} enabled={isShown} />}
            <StatusTiles counts={data.counts.devices_by_status} to={devicesOf} trend={trend.data?.items ?? []} />
            {data.counts.devices === 0 && <FirstDevice to={mayClaim ? at('/claim') : null} seen={seen} />}
            <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
              <Attention
                limit={4}
                counts={data.counts.devices_by_status}
                to={devicesOf}
                none="No device has an alarm or error, or is offline."
                requests={requests.data?.items ?? []}
              />
              <Stack gap="md">
                {maySeeLog && <RecentActivity log={at('/settings/audit-log')} />}
                <Panel title={seen ? 'What you see' : 'This organization'}>
                  <Group gap="xl" className="facts">
                    {mayChange && <Count label="Users" value={data.counts.users} to={at('/users')} />}
                    {mayChange && <Count label="Groups" value={data.counts.groups} to={at('/groups')} />}
                    <Count label="Spaces" value={data.counts.spaces} to={at('/spaces')} />
                    <Count label="Devices" value={data.counts.devices} to={at('/devices')} />
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

/** `to` where devices are claimed, for those who may. */
function FirstDevice({ to, seen }: { to: string | null; seen: NamedSpace[] | null }) {
  return (
    <Paper withBorder>
      <Empty
        icon="device"
        title={to ? 'Claim your first device' : 'No devices yet'}
        action={
          to && (
            <Button component={Link} to={to} leftSection={<Icon name="add" />}>
              Claim a device
            </Button>
          )
        }
      >
        {to
          ? 'Enter the MAC and serial number on its label and choose its model.'
          : 'As soon as somebody claims some, their state is shown here.'}{' '}
        <SeenSpaces spaces={seen} />
      </Empty>
    </Paper>
  )
}

function RecentActivity({ log }: { log: string }) {
  const events = useRead('GET /core/v1/organization/audit-events', { limit: 10 }, { every: 15_000 })
  const readerOf = useCustomerReader()
  return (
    <Panel
      title="Recent activity"
      actions={
        <Anchor component={Link} to={log} size="sm">
          Audit log
        </Anchor>
      }
    >
      <Loaded of={events}>
        {({ items, names }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              No activity yet.
            </Text>
          ) : (
            <Stack gap={8}>
              {items.map((event) => (
                <Group key={event.id} justify="space-between" wrap="nowrap" gap="xs">
                  <EventSentence event={event} reader={readerOf(names)} />
                  <When at={event.at} size="xs" c="dimmed" />
                </Group>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

function Count({ label, value, to }: { label: string; value: number; to: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Anchor component={Link} to={to} fw={600} c="var(--mantine-color-text)">
        {formatNumber(value)}
      </Anchor>
    </div>
  )
}

function useLater(milliseconds: number): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return isLater
}
