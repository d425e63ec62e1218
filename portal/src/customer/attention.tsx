import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import { useDictionary } from '../api/dictionary.ts'
import {
  type ApprovalRequest,
  type AttentionItem,
  type DeviceCounts,
  deviceName,
  type Status,
  type Value,
} from '../api/organization.ts'
import { formatValue, labelOf } from '../components/data-points.ts'
import { Loaded, Panel } from '../components/page.tsx'
import { statusColor, statusLabel } from '../components/status.tsx'
import { countText } from '../components/status-tiles.tsx'
import { When } from '../components/when.tsx'

interface AttentionProps {
  /** Devices of each reason that are asked for. */
  limit: number
  /** Where the devices of a status are listed. */
  to: (status: Status) => string
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
  const query = { limit, ...(spaceId ? { space_id: spaceId } : {}) }
  const attention = useRead<{ items: AttentionItem[] }>('/devices/attention', query, { every: 15_000 })
  return (
    <Panel title="Needs attention">
      <Loaded of={attention}>
        {({ items }) => {
          const of = (reason: AttentionItem['reason']) => items.filter((item) => item.reason === reason)
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
              <Reason label="Alarm" color="var(--mantine-color-red-6)" items={of('alarm')} />
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
  items: AttentionItem[]
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
              <When at={item.alarm ? item.last_seen_at : item.status_at} size="xs" c="dimmed" />
            </Group>
            {item.alarm && <AlarmText modelId={item.model_id} alarm={item.alarm} />}
          </li>
        ))}
      </Stack>
    </div>
  )
}

/** In the partner's words, once they are loaded. */
function AlarmText({ modelId, alarm }: { modelId: string; alarm: NonNullable<AttentionItem['alarm']> }) {
  const dictionary = useDictionary(modelId) ?? new Map()
  const value = alarm.value as Value
  return (
    <Text size="xs" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
      {labelOf(dictionary, alarm.key)}: {formatValue(dictionary, alarm.key, value)}
    </Text>
  )
}
