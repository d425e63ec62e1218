import { Badge } from '@mantine/core'

export function ClaimedBadge({ claimed }: { claimed: boolean }) {
  return <Badge color={claimed ? 'green' : 'gray'}>{claimed ? 'Claimed' : 'Not claimed'}</Badge>
}
