import { Group, Text } from '@mantine/core'
import { useConnection } from '../../api/connection.ts'
import type { Status } from '../../api/organization.ts'
import { clockTime } from '../page/when.tsx'

/** `former` is said while the service is away. */
const looks: Record<Status, { label: string; former: string; color: string }> = {
  online: { label: 'Online', former: 'Was online', color: 'var(--mantine-color-green-6)' },
  offline: { label: 'Offline', former: 'Was offline', color: 'var(--mantine-color-gray-5)' },
  error: { label: 'Error', former: 'Had error', color: 'var(--mantine-color-red-6)' },
  never_seen: { label: 'Never seen', former: 'Never seen', color: 'var(--mantine-color-yellow-5)' },
}

export const statuses = (Object.keys(looks) as Status[]).map((value) => ({ value, label: looks[value].label }))

/** A dot with its label: colour alone is not accessible. While the service is away, it says what was known last. */
export function StatusBadge({ status }: { status: Status }) {
  const { label, former, color } = looks[status] ?? { label: status, former: status, color: 'gray' }
  const { state, knownAt } = useConnection()
  const lost = state === 'lost'
  return (
    <Group
      gap={6}
      wrap="nowrap"
      component="span"
      display="inline-flex"
      title={lost ? `Known at ${clockTime(knownAt)}` : undefined}
    >
      <span className={`status-dot ${lost ? 'status-dot-former' : ''}`} style={{ background: color }} />
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {lost ? former : label}
      </Text>
    </Group>
  )
}

export function statusLabel(status: Status): string {
  return looks[status]?.label ?? status
}

export function statusColor(status: Status): string {
  return looks[status]?.color ?? 'gray'
}
