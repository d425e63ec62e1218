import { Badge, Button, Code, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Delivery, Webhook as WebhookData, WebhookSecret } from '../api/partner.ts'
import { Confirm } from '../components/confirm.tsx'
import { Copied } from '../components/copy.tsx'
import { Listed, More } from '../components/listed.tsx'
import { Empty, Page, Panel, Shown } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { When } from '../components/when.tsx'
import { WebhookState } from './webhooks.tsx'

export function Webhook() {
  const api = useApi()
  const navigate = useNavigate()
  const { partnerId, webhookId = '' } = useParams()
  const path = `/webhooks/${webhookId}`
  const webhook = useRead<WebhookData>(path)
  const [act, setAct] = useState<'rotate' | 'remove' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const test = useChange({
    run: () => api.post(`${path}/test`),
    touches: [path],
    done: () => 'A test event is on its way: see the delivery log.',
  })
  const enable = useChange<boolean>({ run: (enabled) => api.patch(path, { enabled }), touches: ['/webhooks'] })
  const rotate = useChange({ run: () => api.post<WebhookSecret>(`${path}/secret`), touches: [path], quiet: true })
  const remove = useChange({
    run: () => api.remove(path),
    touches: ['/webhooks'],
    done: () => {
      void navigate(`/partner/${partnerId}/webhooks`)
      return 'The webhook was deleted.'
    },
    quiet: true,
  })
  return (
    <Shown of={webhook}>
      {(data) => (
        <Page
          title={data.url}
          badges={<WebhookState webhook={data} />}
          above={[{ label: 'Webhooks', to: `/partner/${partnerId}/webhooks` }]}
          actions={
            <>
              <Button onClick={() => test.mutate()} loading={test.isPending} disabled={!data.enabled}>
                Send a test
              </Button>
              <Button variant="default" onClick={() => enable.mutate(!data.enabled)}>
                {data.enabled ? 'Disable' : 'Enable'}
              </Button>
              <Button variant="default" onClick={() => setAct('rotate')}>
                New secret
              </Button>
              <Button variant="light" color="red" onClick={() => setAct('remove')}>
                Delete
              </Button>
            </>
          }
        >
          <Text size="sm" c="dimmed">
            Told of: {data.events.join(', ')}
            {data.previous_secret_expires_at && (
              <>
                . The former secret signs as well until <When at={data.previous_secret_expires_at} />
              </>
            )}
          </Text>
          <Deliveries path={path} />
          {act === 'rotate' && (
            <Confirm
              title="Make a new signing secret?"
              verb="Make a new secret"
              onConfirm={async () => setSecret((await rotate.mutateAsync()).secret)}
              onClose={() => setAct(null)}
            >
              For a day every event is signed with both secrets, so that you can change over without a refused delivery.
            </Confirm>
          )}
          {act === 'remove' && (
            <Confirm
              title="Delete this webhook?"
              verb="Delete webhook"
              onConfirm={() => remove.mutateAsync()}
              onClose={() => setAct(null)}
            >
              Nothing is sent to it any more, and its delivery log goes with it.
            </Confirm>
          )}
          {secret && <SecretOnce title="New signing secret" secret={secret} onClose={() => setSecret(null)} />}
        </Page>
      )}
    </Shown>
  )
}

function Deliveries({ path }: { path: string }) {
  const api = useApi()
  const [state, setState] = useState('all')
  const list = usePages<Delivery>(`${path}/deliveries`, { state: state === 'all' ? null : state }, { every: 3_000 })
  const again = useChange<Delivery>({
    run: ({ event_id }) => api.post(`${path}/deliveries/${event_id}/redeliver`),
    touches: [path],
    done: () => 'It is on its way again.',
  })
  return (
    <Panel
      title="Delivery log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="State"
          value={state}
          onChange={setState}
          data={[
            { value: 'all', label: 'All' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'pending', label: 'Pending' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      }
    >
      <Listed
        list={list}
        empty={
          <Empty icon="webhook" title="Nothing was sent yet">
            Send a test, or let a device register: it appears here within a second.
          </Empty>
        }
      >
        {(deliveries) => (
          <Stack gap="xs">
            {deliveries.map((delivery) => (
              <DeliveryCard key={delivery.event_id} delivery={delivery} onAgain={() => again.mutate(delivery)} />
            ))}
          </Stack>
        )}
      </Listed>
      <More list={list}>Show older</More>
    </Panel>
  )
}

const waitReasons = {
  under_way: 'It is being sent now.',
  queued: 'It is due, and goes as soon as a place is free.',
  retry_delay: 'It waits because its last attempt failed.',
  event_type_failing:
    'It waits because other deliveries of this event type failed several times in a row; they are tried one at a time.',
}

function NextAttempt({ delivery: { next_attempt_at, next_attempt_reason } }: { delivery: Delivery }) {
  if (!next_attempt_reason) return null
  const soon = next_attempt_at !== null && Date.parse(next_attempt_at) - Date.now() < 10_000
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {next_attempt_at && next_attempt_reason !== 'queued' && (
        <>Next attempt {soon ? 'within seconds' : <When at={next_attempt_at} />}. </>
      )}
      {waitReasons[next_attempt_reason]}
    </Text>
  )
}

const deliveryColors = { delivered: 'green', failed: 'red', pending: 'yellow' }

function DeliveryCard({ delivery, onAgain }: { delivery: Delivery; onAgain: () => void }) {
  return (
    <Paper withBorder p="xs" component="article" aria-label={`${delivery.type} ${delivery.event_id}`}>
      <Group justify="space-between">
        <Group gap="xs">
          <Badge color={deliveryColors[delivery.state]}>{delivery.state}</Badge>
          <Text size="sm" fw={500}>
            {delivery.type}
          </Text>
          {delivery.response_status && <Code>{delivery.response_status}</Code>}
          {delivery.duration_ms !== null && (
            <Text size="xs" c="dimmed">
              {delivery.duration_ms} ms
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
          </Text>
        </Group>
        <Group gap="xs">
          <When at={delivery.queued_at} size="xs" c="dimmed" />
          <Button size="compact-xs" variant="default" onClick={onAgain}>
            Send again
          </Button>
        </Group>
      </Group>
      {delivery.failure && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4}>
          {delivery.failure}
        </Text>
      )}
      <NextAttempt delivery={delivery} />
      <Code block mt={6} fz="xs" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {delivery.payload}
      </Code>
      <Copied value={delivery.event_id} label="Copy event id" />
    </Paper>
  )
}
