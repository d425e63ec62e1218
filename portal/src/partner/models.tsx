import { NumberInput, type NumberInputProps, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { duration } from '../components/page/duration.ts'
import { When } from '../components/page/when.tsx'
import { ListPage } from '../components/table/list-page.tsx'

/** The only value this connector accepts (contract 2.4). */
const method = 'MAC & Serial Number'

export function Models() {
  const { partnerId } = useParams()
  return (
    <ListPage
      title="Models"
      about="A product, a family or a single SKU. Devices register with its ID and a hardware key."
      list={usePages('GET /core/v1/partner/models')}
      rowKey={({ id }) => id}
      unit="model"
      to={({ id }) => `/partner/${partnerId}/models/${id}`}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        { label: 'Model ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy model ID" /> },
        { label: 'Offline after', cell: ({ offline_after_seconds }) => duration(offline_after_seconds) },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      create={{ verb: 'New model', Dialog: NewModel }}
      empty={{
        icon: 'device',
        title: 'No models yet',
        hint: 'Create one for your first product. It comes with a hardware key, so you can register a device right away.',
      }}
    />
  )
}

function NewModel({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const { partnerId } = useParams()
  const form = useForm({ initialValues: { name: '', offline_after_seconds: 120 } })
  const create = useChange({
    run: () => api.send('POST /core/v1/partner/models', { body: { ...form.values, authentication_method: method } }),
    invalidates: ['GET /core/v1/partner/models'],
    done: ({ id }) => {
      void navigate(`/partner/${partnerId}/models/${id}?tab=hardware-keys`)
      return `${form.values.name} created, with its first hardware key.`
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title="New model" verb="Create model" change={create} onClose={onClose}>
      <TextInput
        label="Model name"
        placeholder="Thermostat T2"
        {...form.getInputProps('name')}
        required
        data-autofocus
      />
      <TextInput
        label="Authentication method"
        value={method}
        readOnly
        description="The only method of this connector"
      />
      <OfflineAfter {...form.getInputProps('offline_after_seconds')} />
    </FormDialog>
  )
}

export function OfflineAfter(field: NumberInputProps) {
  return (
    <NumberInput
      label="Offline after"
      description="Seconds without a message until a device counts as offline. Devices send every 30 to 60 s."
      suffix=" s"
      min={10}
      max={604_800}
      required
      {...field}
    />
  )
}
