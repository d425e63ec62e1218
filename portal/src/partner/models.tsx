import { TextInput } from '@mantine/core'
import { Link, useNavigate, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Model } from '../api/partner.ts'
import { Copied } from '../components/copy.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { ListPage } from '../components/list-page.tsx'
import { When } from '../components/when.tsx'
import { OfflineAfter } from './offline-after.tsx'

/** Spec 2.4: the one value this connector takes. */
const method = 'MAC & Serial Number'

export function Models() {
  const { partnerId } = useParams()
  return (
    <ListPage
      title="Models"
      about="A product, a family or a single SKU. Its id and one of its hardware keys let a device register."
      list={usePages<Model>('/models')}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: ({ id, name }) => <Link to={`/partner/${partnerId}/models/${id}`}>{name}</Link> },
        { label: 'Model ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy model ID" /> },
        { label: 'Authentication', wide: true, cell: ({ authentication_method }) => authentication_method },
        { label: 'Offline after', cell: ({ offline_after_seconds }) => `${offline_after_seconds} s` },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      create={{ verb: 'New model', Dialog: NewModel }}
      empty={{
        icon: 'device',
        title: 'No models yet',
        teaches:
          'Make one for your first product. It is born with a hardware key, and you can register a device right away.',
      }}
    />
  )
}

function NewModel({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const { partnerId } = useParams()
  const [form, fieldsOf] = useFields({ name: '', offline_after_seconds: 120 as number | string })
  const create = useChange({
    run: () => api.post<Model>('/models', { ...form, authentication_method: method }),
    touches: ['/models'],
    done: ({ id }) => {
      void navigate(`/partner/${partnerId}/models/${id}?tab=hardware-keys`)
      return `${form.name} was created, with its first hardware key.`
    },
    quiet: true,
  })
  const field = fieldsOf(create.error)
  return (
    <FormDialog title="New model" verb="Create model" change={create} onClose={onClose}>
      <TextInput label="Model name" placeholder="Thermostat T2" {...field('name')} required data-autofocus />
      <TextInput label="Authentication method" value={method} readOnly description="The one this connector uses" />
      <OfflineAfter {...field('offline_after_seconds')} />
    </FormDialog>
  )
}
