import { Badge, Button, Code, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Delivery } from '../api/partner.ts'
import { Confirm, SecretOnce } from '../components/form/dialog.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Empty, Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'
import { WebhookState } from './webhooks.tsx'

export function Webhook() {
  const api = useApi()
  const navigate = useNavigate()
  const { partnerId, webhookId = '' } = useParams()
  const webhook = useRead('GET /core/v1/partner/webhooks/{id}', { id: webhookId })
  const [dialog, setDialog] = useState<'rotate' | 'remove' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const test = useChange({
    run: () => api.send('POST /core/v1/partner/webhooks/{id}/test', { id: webhookId }),
    invalidates: [['GET /core/v1/partner/webhooks/{id}', { id: webhookId }]],
    done: () => 'Test event sent. See the delivery log.',
  })
  const enable = useChange<boolean>({
    run: (enabled) => api.send('PATCH /core/v1/partner/webhooks/{id}', { id: webhookId, body: { enabled } }),
    invalidates: ['GET /core/v1/partner/webhooks'],
  })
  const rotate = useChange({
    run: () => api.send('POST /core/v1/partner/webhooks/{id}/secret', { id: webhookId }),
    invalidates: [['GET /core/v1/partner/webhooks/{id}', { id: webhookId }]],
    silent: true,
  })
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/partner/webhooks/{id}', { id: webhookId }),
    invalidates: ['GET /core/v1/partner/webhooks'],
    done: () => {
      void navigate(`/partner/${partnerId}/webhooks`)
      return 'Webhook deleted.'
    },
    silent: true,
  })
  return (
    <Loaded of={webhook}>
      {(data) => (
        <Page
          title={new URL(data.url).host}
          badges={<WebhookState webhook={data} />}
          above={[{ label: 'Webhooks', to: `/partner/${partnerId}/webhooks` }]}
          actions={
            <>
              <Button onClick={() => test.mutate()} loading={test.isPending} disabled={!data.enabled}>
                Send test event
              </Button>
              <Button variant="default" onClick={() => enable.mutate(!data.enabled)}>
                {data.enabled ? 'Disable' : 'Enable'}
              </Button>
              <Button variant="default" onClick={() => setDialog('rotate')}>
                New secret
              </Button>
              <Button variant="light" color="red" onClick={() => setDialog('remove')}>
                Delete
              </Button>
            </>
          }
        >
          <Group gap="xl" className="facts">
            <Fact label="Address">
              <Copied value={data.url} label="Copy address" wrap />
            </Fact>
            <Fact label="Events">{data.events.join(', ')}</Fact>
            {data.previous_secret_expires_at && (
              <Fact label="Previous secret">
                Also signs every event. Expires <When at={data.previous_secret_expires_at} />
              </Fact>
            )}
          </Group>
          <Deliveries webhookId={webhookId} />
          {dialog === 'rotate' && (
            <Confirm
              title="Create a new signing secret?"
              verb="Create new secret"
              onConfirm={async () => setSecret((await rotate.mutateAsync()).secret)}
              onClose={() => setDialog(null)}
            >
              For one day, every event is signed with both secrets, so that no delivery fails while you switch.
            </Confirm>
          )}
          {dialog === 'remove' && (
            <Confirm
              title="Delete this webhook?"
              verb="Delete webhook"
              onConfirm={() => remove.mutateAsync()}
              onClose={() => setDialog(null)}
            >
              No more events are sent, and its delivery log is deleted.
            </Confirm>
          )}
          {secret && (
            <SecretOnce title="New signing secret" secret={secret} kept="used" onClose={() => setSecret(null)} />
          )}
        </Page>
      )}
    </Loaded>
  )
}

function Deliveries({ webhookId }: { webhookId: string }) {
  const api = useApi()
  const [state, setState] = useState('all')
  const list = usePages(
    'GET /core/v1/partner/webhooks/{id}/deliveries',
    { id: webhookId, state: state === 'all' ? null : state },
    { every: 3_000 },
  )
  const redeliver = useChange<Delivery>({
    run: ({ event_id }) =>
      api.send('POST /core/v1/partner/webhooks/{id}/deliveries/{event_id}/redeliver', { id: webhookId, event_id }),
    invalidates: [['GET /core/v1/partner/webhooks/{id}', { id: webhookId }]],
    done: () => 'Event queued again.',
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
      <LoadedList
        list={list}
        empty={
          <Empty icon="webhook" title="No deliveries">
            Send a test, or register a device: deliveries appear here within a second.
          </Empty>
        }
      >
        {(deliveries) => (
          <Stack gap="xs">
            {deliveries.map((delivery) => (
              <DeliveryCard
                key={delivery.event_id}
                delivery={delivery}
                onRedeliver={() => redeliver.mutate(delivery)}
              />
            ))}
          </Stack>
        )}
      </LoadedList>
      <LoadMore list={list}>Show older</LoadMore>
    </Panel>
  )
}

const waitReasons = {
  under_way: 'Sending now.',
  queued: 'Queued.',
  retry_delay: 'The last attempt failed.',
  event_type_failing: 'Several deliveries of this event type failed in a row, so they are sent one at a time.',
}

function NextAttempt({ delivery: { next_attempt_at, next_attempt_reason } }: { delivery: Delivery }) {
  if (!next_attempt_reason) return null
  const soon = next_attempt_at !== null && Date.parse(next_attempt_at) - Date.now() < 10_000
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {next_attempt_at && next_attempt_reason !== 'queued' && (
        <>Next attempt {soon ? 'in a few seconds' : <When at={next_attempt_at} />}. </>
      )}
      {waitReasons[next_attempt_reason]}
    </Text>
  )
}

const deliveryStates = {
  delivered: { label: 'Delivered', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  pending: { label: 'Pending', color: 'yellow' },
}

function DeliveryCard({ delivery, onRedeliver }: { delivery: Delivery; onRedeliver: () => void }) {
  return (
    <Paper withBorder p="xs" component="article" aria-label={`${delivery.type} ${delivery.event_id}`}>
      <Group justify="space-between">
        <Group gap="xs">
          <Badge color={deliveryStates[delivery.state].color}>{deliveryStates[delivery.state].label}</Badge>
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
          <Button size="compact-xs" variant="default" onClick={onRedeliver}>
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
      <Copied value={delivery.event_id} label="Copy event ID" />
    </Paper>
  )
}
