import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import { type ApprovalRequest, type Device, type DeviceCounts, deviceName, type Status } from '../api/organization.ts'
import { DeviceReason, sinceOf } from '../components/device/device-reason.tsx'
import { SpacePath } from '../components/device/space-path.tsx'
import { statusColor, statusLabel } from '../components/device/status.tsx'
import { countText } from '../components/device/status-tiles.tsx'
import { Loaded, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

interface AttentionProps {
  /** Devices of each reason that are asked for. */
  limit: number
  /** Where the devices of some statuses are listed: `error,offline`. */
  to: (statuses: string) => string
  counts: DeviceCounts | undefined
  /** Only in this space and below it. */
  spaceId?: string
  /** What is said when there is nothing. */
  none: string
  /** What waits for a decision, before the devices. */
  requests?: ApprovalRequest[]
}

const statuses = ['error', 'offline', 'never_seen'] as const

/** The first devices to look at: those with an alarm or an error, then those that are offline or were never seen. */
export function Attention({ limit, to, counts, spaceId, none, requests = [] }: AttentionProps) {
  const isListed = statuses.some((status) => counts?.[status])
  const query = { limit, ...(spaceId ? { space_id: spaceId } : {}) }
  const attention = useRead('GET /core/v1/organization/devices/attention', query, { every: 15_000 })
  return (
    <Panel
      title="Needs attention"
      actions={
        isListed && (
          <Anchor component={Link} to={`${to(statuses.join(','))}&sort=status`} size="sm">
            Show in the list
          </Anchor>
        )
      }
    >
      <Loaded of={attention}>
        {({ items }) => {
          const of = (status: Status) => items.filter((item) => item.status === status)
          if (items.length === 0 && requests.length === 0) {
            return (
              <Text size="sm" c="dimmed">
                {none}
              </Text>
            )
          }
          return (
            <Stack gap="md">
              <Requests requests={requests} />
              <Reason label="Alarm" color="var(--mantine-color-red-6)" items={of('online')} />
              {statuses.map((status) => (
                <Reason
                  key={status}
                  label={statusLabel(status)}
                  color={statusColor(status)}
                  items={of(status)}
                  all={{ count: counts?.[status] ?? 0, to: to(status) }}
                />
              ))}
            </Stack>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Requests({ requests }: { requests: ApprovalRequest[] }) {
  const { customerId } = useParams()
  if (requests.length === 0) return null
  return (
    <div>
      <Text size="sm" c="dimmed" component="h3" fw={400} mb={4}>
        Approval requests
      </Text>
      <Stack gap={6} component="ul" className="plain-list" aria-label="Approval requests">
        {requests.map(({ id, user, application, requested_at }) => (
          <Group key={id} component="li" justify="space-between" wrap="nowrap" gap="sm">
            <Anchor component={Link} to={`/customer/${customerId}/settings/connected-apps`} size="sm" truncate>
              {user.name} asks for {application.name}
            </Anchor>
            <When at={requested_at} size="xs" c="dimmed" />
          </Group>
        ))}
      </Stack>
    </div>
  )
}

interface ReasonProps {
  label: string
  color: string
  items: Device[]
  /** The list that also has those without room here. */
  all?: { count: number; to: string }
}

function Reason({ label, color, items, all }: ReasonProps) {
  const { customerId } = useParams()
  if (items.length === 0) return null
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Group gap={6}>
          <span className="status-dot" style={{ background: color }} />
          <Text size="sm" c="dimmed" component="h3" fw={400}>
            {label}
          </Text>
        </Group>
        {all && all.count > items.length && (
          <Anchor component={Link} to={all.to} size="sm" aria-label={`All ${countText(all.count)} ${label}`}>
            All {countText(all.count)}
          </Anchor>
        )}
      </Group>
      <Stack gap={6} component="ul" className="plain-list" aria-label={label}>
        {items.map((item) => (
          <li key={item.id}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Anchor component={Link} to={`/customer/${customerId}/devices/${item.id}`} size="sm" truncate>
                {deviceName(item)}
              </Anchor>
              {sinceOf(item) && <When at={sinceOf(item)} size="xs" c="dimmed" />}
            </Group>
            <Text size="xs" c="dimmed" component="div" className="attention-facts">
              <SpacePath path={item.space_path} />
              <DeviceReason device={item} />
            </Text>
          </li>
        ))}
      </Stack>
    </div>
  )
}
