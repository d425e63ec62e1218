import { Badge, Checkbox, Stack, TextInput } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { type NewWebhook as CreatedWebhook, eventTypes, type Webhook } from '../api/partner.ts'
import { FormDialog, useFields } from '../components/form.tsx'
import { ListPage } from '../components/list-page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'

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
  return (
    <ListPage
      title="Webhooks"
      about="We tell your cloud when a device or a connection changes: signed as Standard Webhooks has it, at least once, tried again for a day."
      list={usePages<Webhook>('/webhooks')}
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
      create={{ verb: 'New webhook', Dialog: NewWebhook }}
      empty={{
        icon: 'webhook',
        title: 'No webhooks yet',
        teaches: 'Give an https address of your cloud, choose the events, and send a test to it.',
      }}
    />
  )
}

function NewWebhook({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ url: '', events: eventTypes })
  const create = useChange({
    run: () => api.post<CreatedWebhook>('/webhooks', form),
    touches: ['/webhooks'],
    quiet: true,
  })
  const field = fieldsOf(create.error)
  if (create.data) return <SecretOnce title="Signing secret" secret={create.data.secret} onClose={onClose} />
  return (
    <FormDialog
      title="New webhook"
      verb="Create webhook"
      change={create}
      ready={form.events.length > 0}
      onClose={onClose}
    >
      <TextInput
        label="Address"
        placeholder="https://cloud.example.com/landbridge"
        description="Absolute https; not a loopback or private address unless the operator allows it"
        {...field('url')}
        required
        data-autofocus
      />
      <Checkbox.Group label="Events" {...field('events')}>
        <Stack gap={6} mt={6}>
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} size="xs" />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  )
}
