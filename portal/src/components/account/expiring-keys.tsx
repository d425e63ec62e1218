import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApi, useRead } from '../../api/api.tsx'
import { Icon } from '../page/icon.tsx'
import { When } from '../page/when.tsx'

const shown = 3

/** A line per API key that expires within 14 days, with the way to rotate it. `to`: the page of the keys. */
export function ExpiringKeys({ to, enabled = true }: { to: string; enabled?: boolean }) {
  const { kind } = useApi('organization', 'partner')
  const query = { expiring: true, limit: shown + 1 }
  const { data } = useRead(`GET /core/v1/${kind}/api-keys`, query, { every: 300_000, enabled })
  if (!data || data.items.length === 0) return null
  return (
    <Alert color="yellow" icon={<Icon name="key" />} p="xs" title={undefined}>
      <Stack gap={4} component="ul" className="plain-list" aria-label="API keys that expire soon">
        {data.items.slice(0, shown).map(({ id, name, expires_at }) => (
          <Text key={id} size="sm" component="li" style={{ overflowWrap: 'anywhere' }}>
            API key “{name}” expires <When at={expires_at} />.{' '}
            <Anchor component={Link} to={`${to}?rotate=${id}`} size="sm" aria-label={`Rotate ${name}`}>
              Rotate
            </Anchor>
          </Text>
        ))}
        {data.items.length > shown && (
          <Text size="sm" component="li">
            More expire soon.{' '}
            <Anchor component={Link} to={to} size="sm">
              All API keys
            </Anchor>
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
