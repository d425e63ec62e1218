import { Badge, Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { eventTypes, type Webhook } from '../api/partner.ts'
import { SecretOnce } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { ListPage } from '../components/table/list-page.tsx'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (webhook.enabled) {
    return webhook.failing_since ? (
      <Badge color="yellow">Failing, retrying</Badge>
    ) : (
      <Badge color="green">Enabled</Badge>
    )
  }
  const reasons = {
    by_partner: 'Disabled by you',
    gone: 'Disabled: endpoint returned 410',
    failing: 'Disabled: failing for a day',
  }
  return <Badge color="red">{reasons[webhook.disabled_because ?? 'by_partner']}</Badge>
}

export function Webhooks() {
  const { partnerId } = useParams()
  return (
    <ListPage
      title="Webhooks"
      about="We notify your cloud when a device or a connection changes. Signed as in the Standard Webhooks specification, delivered at least once, retried for a day."
      list={usePages('GET /core/v1/partner/webhooks')}
      rowKey={({ id }) => id}
      unit="webhook"
      to={({ id }) => `/partner/${partnerId}/webhooks/${id}`}
      columns={[
        { label: 'Address', cell: ({ url }) => <span className="breakable">{url}</span> },
        {
          label: 'Events',
          wide: true,
          cell: ({ events }) => (events.length === eventTypes.length ? 'All' : events.join(', ')),
        },
        { label: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
      ]}
      create={{ verb: 'New webhook', Dialog: NewWebhook }}
      empty={{
        icon: 'webhook',
        title: 'No webhooks yet',
        hint: 'Enter an https address of your cloud, choose the events, and send a test event.',
      }}
    />
  )
}

function NewWebhook({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { url: '', events: eventTypes } })
  const create = useChange({
    run: () => api.send('POST /core/v1/partner/webhooks', { body: form.values }),
    invalidates: ['GET /core/v1/partner/webhooks'],
    silent: true,
  })
  if (create.data)
    return <SecretOnce title="Signing secret" secret={create.data.secret} kept="used" onClose={onClose} />
  return (
    <FormDialog
      form={form}
      title="New webhook"
      verb="Create webhook"
      change={create}
      ready={form.values.events.length > 0}
      onClose={onClose}
    >
      <TextInput
        label="Address"
        placeholder="https://cloud.example.com/landbridge"
        description="An https address. Private addresses need the operator’s permission"
        {...form.getInputProps('url')}
        required
        data-autofocus
      />
      <Checkbox.Group label="Events" {...form.getInputProps('events')}>
        <Stack gap={6} mt={6}>
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} size="xs" />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  )
}
