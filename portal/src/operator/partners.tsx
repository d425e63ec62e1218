import { Badge, PasswordInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { When } from '../components/page/when.tsx'
import { ListPage } from '../components/table/list-page.tsx'

export function Partners() {
  return (
    <ListPage
      title="Partners"
      about="Companies that build applications and devices. Each comes with a test tenant."
      list={usePages('GET /core/v1/operator/partners')}
      rowKey={({ id }) => id}
      unit="partner"
      to={({ id }) => `/operator/partners/${id}`}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        {
          label: 'Portal domain',
          cell: ({ portal_domain }) => portal_domain ?? <Badge color="yellow">Not set</Badge>,
        },
        { label: 'ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy partner ID" /> },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      create={{ verb: 'New partner', Dialog: NewPartner }}
      empty={{
        icon: 'building',
        title: 'No partners yet',
        hint: 'A partner owns applications and device models. Its first account can sign in to the partner portal right away.',
      }}
    />
  )
}

function NewPartner({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { name: '', portal_domain: location.host, admin: noAccount } })
  const create = useChange({
    run: () =>
      api.send('POST /core/v1/operator/partners', {
        body: { ...form.values, portal_domain: form.values.portal_domain || null },
      }),
    invalidates: ['GET /core/v1/operator/partners'],
    done: () => {
      onClose()
      return `${form.values.name} created, with a test tenant.`
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title="New partner" verb="Create partner" change={create} onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} required data-autofocus />
      <TextInput
        label="Portal domain"
        description="Host of the consent screen and the customer portal, with its port unless it is 443"
        {...form.getInputProps('portal_domain')}
      />
      <FirstAccount label="First person’s name" form={form} />
    </FormDialog>
  )
}

export const noAccount = { name: '', email: '', password: '' }

/** The account that a new partner or customer starts with. */
export function FirstAccount<Values extends { admin: typeof noAccount }>({
  label,
  form,
}: {
  label: string
  form: UseFormReturnType<Values>
}) {
  return (
    <>
      <TextInput label={label} {...form.getInputProps('admin.name')} required />
      <TextInput label="Email" type="email" {...form.getInputProps('admin.email')} required />
      <PasswordInput
        label="Password"
        description="At least 10 characters. If the email already has an account, the password is ignored: send the link under Invitations instead."
        {...form.getInputProps('admin.password')}
        autoComplete="new-password"
        required
      />
    </>
  )
}
