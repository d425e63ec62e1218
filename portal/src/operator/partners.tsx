import { Button, Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { Copied } from '../parts/copy.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

export interface Partner {
  id: string
  name: string
  portal_domain: string | null
  created_at: string
}

export function Partners() {
  const list = usePages<Partner>('/partners')
  const [creating, setCreating] = useState(false)
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
      New partner
    </Button>
  )
  return (
    <Page
      title="Partners"
      about="Companies that build applications and devices. Each is born with a lab tenant to try everything in."
      actions={create}
    >
      <ListTable
        list={list}
        label="Partners"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Name', cell: ({ id, name }) => <Link to={`/operator/partners/${id}`}>{name}</Link> },
          { label: 'Portal domain', cell: ({ portal_domain }) => portal_domain ?? 'none: consent cannot be shown' },
          { label: 'Id', cell: ({ id }) => <Copied value={id} />, wide: true },
          { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
        ]}
        empty={
          <Empty icon="building" title="No partners yet" action={create}>
            A partner owns applications and device models. Its first person can sign in to the partner portal at once.
          </Empty>
        }
      />
      {creating && <NewPartner onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NewPartner({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [form, setForm] = useState({ name: '', portal_domain: location.host, person: '', email: '', password: '' })
  const set = (field: keyof typeof form) => (event: { currentTarget: { value: string } }) =>
    setForm({ ...form, [field]: event.currentTarget.value })
  const create = useChange({
    run: () =>
      api.post('/partners', {
        name: form.name,
        portal_domain: form.portal_domain || null,
        admin: { name: form.person, email: form.email, password: form.password },
      }),
    touches: ['/partners'],
    done: () => {
      onClose()
      return `${form.name} was created, with a lab tenant.`
    },
    quiet: true,
  })
  const errors = fieldErrors(create.error)
  return (
    <Modal opened onClose={onClose} title="New partner" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={form.name}
            onChange={set('name')}
            error={errors.name}
          />
          <TextInput
            label="Portal domain"
            description="host[:port] that shows the consent screen and the customers’ portal"
            value={form.portal_domain}
            onChange={set('portal_domain')}
            error={errors.portal_domain}
          />
          <TextInput
            label="First person"
            required
            value={form.person}
            onChange={set('person')}
            error={errors['admin.name']}
          />
          <TextInput
            label="Email"
            type="email"
            required
            value={form.email}
            onChange={set('email')}
            error={errors['admin.email']}
          />
          <PasswordInput
            label="Password"
            description="10 characters or more. A person the service already knows keeps their own."
            required
            value={form.password}
            onChange={set('password')}
            error={errors['admin.password']}
            autoComplete="new-password"
          />
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Create partner
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
