import { Badge, Text } from '@mantine/core'
import type { Mail } from '../api/operator.ts'
import { When } from '../components/page/when.tsx'

export const mailStates: Record<Mail['state'], { label: string; color: string }> = {
  queued: { label: 'Queued', color: 'yellow' },
  sent: { label: 'Sent', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  dropped: { label: 'Dropped', color: 'gray' },
  kept: { label: 'Not sent', color: 'gray' },
}

export function MailStateBadge({ state }: Pick<Mail, 'state'>) {
  const { label, color } = mailStates[state]
  return <Badge color={color}>{label}</Badge>
}

export function NextMailAttempt({ mail: { next_attempt_at, attempts } }: { mail: Mail }) {
  if (!next_attempt_at) return null
  const soon = Date.parse(next_attempt_at) - Date.now() < 10_000
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {attempts === 0 ? 'First attempt ' : 'Next attempt '}
      {soon ? 'in a few seconds' : <When at={next_attempt_at} size="xs" />}
    </Text>
  )
}
