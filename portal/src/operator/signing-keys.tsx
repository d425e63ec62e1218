import { Badge, Button, Group, Menu, Stack, Text, Timeline } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { SigningKey } from '../api/operator.ts'
import { Confirm } from '../components/form/dialog.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

const states = {
  published: { label: 'Published, signing soon', color: 'yellow' },
  signing: { label: 'Signing', color: 'green' },
  retired: { label: 'Retired', color: 'gray' },
}

export function SigningKeys() {
  const api = useApi()
  const keys = useRead('GET /core/v1/operator/signing-keys', {}, { every: 10_000 })
  const [removing, setRemoving] = useState<{ key: SigningKey; leaked: boolean } | null>(null)
  const add = useChange<SigningKey['alg']>({
    run: (alg) => api.send('POST /core/v1/operator/signing-keys', { body: { alg } }),
    invalidates: ['GET /core/v1/operator/signing-keys'],
    done: () => 'Key published. It starts signing once clients have had time to fetch it.',
  })
  const remove = useChange<{ key: SigningKey; leaked: boolean }>({
    run: ({ key, leaked }) =>
      api.send('DELETE /core/v1/operator/signing-keys/{kid}', { kid: key.kid, leaked: leaked || undefined }),
    invalidates: ['GET /core/v1/operator/signing-keys'],
    done: (_result, { leaked }) => (leaked ? 'Key revoked.' : 'Key removed. It no longer signs.'),
    silent: true,
  })
  return (
    <Page
      title="Signing keys"
      about="They sign id_tokens. To rotate without failed verifications, add a key, wait until it signs, then remove the old one."
      actions={
        <Menu>
          <Menu.Target>
            <Button leftSection={<Icon name="add" />}>Add key</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => add.mutate('RS256')}>RS256 (default)</Menu.Item>
            <Menu.Item onClick={() => add.mutate('ES256')}>ES256, for applications that use it</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
    >
      <Loaded of={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty icon="key" title="No signing key">
                Token requests with the openid scope fail with status 500 until you add one.
              </Empty>
            </Panel>
          ) : (
            <Stack gap="sm">
              {items.map((key) => (
                <KeyPanel key={key.kid} signingKey={key} onRemove={(leaked) => setRemoving({ key, leaked })} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {removing && (
        <Confirm
          title={removing.leaked ? 'Revoke this key as compromised?' : 'Remove this key?'}
          verb={removing.leaked ? 'Revoke key' : 'Remove key'}
          name={removing.key.kid.slice(0, 8)}
          onConfirm={() => remove.mutateAsync(removing)}
          onClose={() => setRemoving(null)}
        >
          {consequence(removing)}
        </Confirm>
      )}
    </Page>
  )
}

function consequence({ key, leaked }: { key: SigningKey; leaked: boolean }): string {
  if (leaked)
    return 'It is unpublished immediately: every id_token it signed fails verification as soon as clients fetch the key set again. Add another key first; it starts signing immediately.'
  if (key.state === 'published') return 'It has not signed anything yet, so it is deleted.'
  return 'It stops signing now and stays published until everything it signed has expired. This cannot be undone.'
}

function KeyPanel({ signingKey: key, onRemove }: { signingKey: SigningKey; onRemove: (leaked: boolean) => void }) {
  const { label, color } = states[key.state]
  const now = Date.now()
  const isPast = (at: string) => Date.parse(at) <= now
  const moment = (at: string | null, before: string, after: string) =>
    at ? [{ at, title: isPast(at) ? after : before }] : []
  const moments = [
    ...moment(key.created_at, 'Published', 'Published'),
    ...moment(key.signs_from, 'Starts signing', 'Started signing'),
    ...moment(key.signs_until, 'Stops signing', 'Stopped signing'),
    ...moment(key.published_until, 'Unpublished', 'Unpublished'),
  ]
  const past = moments.filter(({ at }) => isPast(at)).length
  return (
    <Panel
      title={
        <Group gap="sm">
          <Badge color="gray">{key.alg}</Badge>
          <Copied value={key.kid} label="Copy key ID" />
          <Badge color={color}>{label}</Badge>
        </Group>
      }
      actions={
        <Group gap="xs">
          {key.state !== 'retired' && (
            <Button size="xs" variant="default" onClick={() => onRemove(false)}>
              Remove
            </Button>
          )}
          <Button size="xs" variant="light" color="red" onClick={() => onRemove(true)}>
            Revoke as compromised
          </Button>
        </Group>
      }
    >
      <Timeline active={past - 1} bulletSize={14} lineWidth={2}>
        {moments.map(({ title, at }) => (
          <Timeline.Item key={title} title={<Text size="sm">{title}</Text>}>
            <When at={at} size="xs" c="dimmed" />
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  )
}
