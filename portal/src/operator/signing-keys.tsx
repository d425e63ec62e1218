import { Badge, Button, Group, Menu, Stack, Text, Timeline } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { SigningKey } from '../api/operator.ts'
import { Confirm } from '../components/confirm.tsx'
import { Copied } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Page, Panel, Shown } from '../components/page.tsx'
import { When } from '../components/when.tsx'

const states = {
  published: { label: 'Published, signs soon', color: 'yellow' },
  signing: { label: 'Signing', color: 'green' },
  retired: { label: 'Retired', color: 'gray' },
}

export function SigningKeys() {
  const api = useApi()
  const keys = useRead<{ items: SigningKey[] }>('/signing-keys', {}, { every: 10_000 })
  const [removing, setRemoving] = useState<{ key: SigningKey; leaked: boolean } | null>(null)
  const add = useChange<SigningKey['alg']>({
    run: (alg) => api.post('/signing-keys', { alg }),
    touches: ['/signing-keys'],
    done: () => 'The key is published now, and signs once clients have had time to fetch it.',
  })
  const remove = useChange<{ key: SigningKey; leaked: boolean }>({
    run: ({ key, leaked }) => api.remove(`/signing-keys/${key.kid}${leaked ? '?leaked=true' : ''}`),
    touches: ['/signing-keys'],
    done: (_answer, { leaked }) =>
      leaked ? 'The key is gone: whatever it signed fails now.' : 'The key will sign no more.',
    quiet: true,
  })
  return (
    <Page
      title="Signing keys"
      about="They sign id_tokens. To rotate: add one, wait until it signs, then remove the old one; no verification fails in between."
      actions={
        <Menu>
          <Menu.Target>
            <Button leftSection={<Icon name="add" />}>Add a key</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => add.mutate('RS256')}>RS256, the default</Menu.Item>
            <Menu.Item onClick={() => add.mutate('ES256')}>ES256, for applications that asked for it</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
    >
      <Shown of={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty icon="key" title="There is no signing key">
                Token requests with openid answer 500 until you add one. Nothing is spent meanwhile.
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
      </Shown>
      {removing && (
        <Confirm
          title={removing.leaked ? 'Unpublish this key at once?' : 'Remove this key?'}
          verb={removing.leaked ? 'Unpublish at once' : 'Remove key'}
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
    return 'Every id_token it signed fails verification as soon as clients fetch the key set again. For a leaked key only: add another key first, it signs at once when this one goes.'
  if (key.state === 'published') return 'It has signed nothing yet, so it goes altogether, and nothing fails.'
  return 'It signs no more from now on, and stays published until what it signed has expired. It is never made again.'
}

function KeyPanel({ signingKey: key, onRemove }: { signingKey: SigningKey; onRemove: (leaked: boolean) => void }) {
  const { label, color } = states[key.state]
  const now = Date.now()
  const moments = [
    { title: 'Published', at: key.created_at },
    { title: 'Signs', at: key.signs_from },
    ...(key.signs_until ? [{ title: 'Signs no more', at: key.signs_until }] : []),
    ...(key.published_until ? [{ title: 'Unpublished', at: key.published_until }] : []),
  ]
  const past = moments.filter(({ at }) => Date.parse(at) <= now).length
  return (
    <Panel
      title={
        <Group gap="sm">
          <Badge color="gray">{key.alg}</Badge>
          <Copied value={key.kid} label="Copy key id" />
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
            It leaked
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
