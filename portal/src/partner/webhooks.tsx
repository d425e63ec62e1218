import { Badge, Button, Checkbox, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { eventTypes, type Webhook } from '../api/partner.ts'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (webhook.enabled) {
    return webhook.failing_since ? (
      <Badge color="yellow">Failing, we try again</Badge>
    ) : (
      <Badge color="green">Enabled</Badge>
    )
  }
  const why = {
    by_partner: 'Disabled by you',
    gone: 'Disabled: it answered 410',
    failing: 'Disabled: failed for a day',
  }
  return <Badge color="red">{why[webhook.disabled_because ?? 'by_partner']}</Badge>
}

export function Webhooks() {
  const { partnerId } = useParams()
  const list = usePages<Webhook>('/webhooks')
  const [creating, setCreating] = useState(false)
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="We tell your cloud when a device or a connection changes: signed as Standard Webhooks has it, at least once, tried again for a day."
      actions={create}
    >
      <ListTable
        list={list}
        label="Webhooks"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Address', cell: ({ id, url }) => <Link to={`/partner/${partnerId}/webhooks/${id}`}>{url}</Link> },
          {
            label: 'Events',
            wide: true,
            cell: ({ events }) => (events.length === eventTypes.length ? 'all' : events.join(', ')),
          },
          { label: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
        ]}
        empty={
          <Empty icon="webhook" title="No webhooks yet" action={create}>
            Give an https address of your cloud, choose the events, and send a test to it.
          </Empty>
        }
      />
      {creating && <NewWebhook onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NewWebhook({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(eventTypes)
  const create = useChange({
    run: () => api.post<Webhook & { secret: string }>('/webhooks', { url, events }),
    touches: ['/webhooks'],
    quiet: true,
  })
  const errors = fieldErrors(create.error)
  if (create.data) return <SecretOnce title="Signing secret" secret={create.data.secret} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title="New webhook" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Address"
            placeholder="https://cloud.example.com/landbridge"
            description="Absolute https; not a loopback or private address unless the operator allows it"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={errors.url}
            required
            data-autofocus
          />
          <Checkbox.Group label="Events" value={events} onChange={setEvents} error={errors.events}>
            <Stack gap={6} mt={6}>
              {eventTypes.map((type) => (
                <Checkbox key={type} value={type} label={type} size="xs" />
              ))}
            </Stack>
          </Checkbox.Group>
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending} disabled={events.length === 0}>
            Create webhook
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
