import { Group, Text } from '@mantine/core'
import { useConnection } from '../api/connection.ts'
import type { Status } from '../api/organization.ts'
import { clockTime } from './when.tsx'

const looks: Record<Status, { label: string; color: string }> = {
  online: { label: 'Online', color: 'var(--mantine-color-green-6)' },
  offline: { label: 'Offline', color: 'var(--mantine-color-gray-5)' },
  error: { label: 'Error', color: 'var(--mantine-color-red-6)' },
  never_seen: { label: 'Never seen', color: 'var(--mantine-color-yellow-5)' },
}

export const statuses = (Object.keys(looks) as Status[]).map((value) => ({ value, label: looks[value].label }))

/** A dot with its label: colour alone is not accessible. While the service is away, with the time it was known. */
export function StatusBadge({ status }: { status: Status }) {
  const { label, color } = looks[status] ?? { label: status, color: 'gray' }
  const { state, knownAt } = useConnection()
  const former = state === 'lost'
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
      <span className={`status-dot ${former ? 'status-dot-former' : ''}`} style={{ background: color }} />
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {label}
        {former && ` at ${clockTime(knownAt)}`}
      </Text>
    </Group>
  )
}

export function statusColor(status: Status): string {
  return looks[status]?.color ?? 'gray'
}
