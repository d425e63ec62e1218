import { Badge, Button, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Customer } from '../api/operator.ts'
import { Copied } from '../parts/copy.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import type { Partner } from './partners.tsx'

export function Customers() {
  const [creating, setCreating] = useState(false)
  return (
    <Page
      title="Customers"
      about="Organizations with users, spaces and devices. A lab tenant belongs to its partner for testing."
      actions={
        <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
          New customer
        </Button>
      }
    >
      <CustomerTable />
      {creating && <NewCustomer onClose={() => setCreating(false)} />}
    </Page>
  )
}

export function CustomerTable({ partnerId }: { partnerId?: string }) {
  const list = usePages<Customer>('/customers', { partner_id: partnerId })
  return (
    <ListTable
      list={list}
      label="Customers"
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        {
          label: 'Kind',
          cell: ({ lab }) => (lab ? <Badge color="gray">Lab</Badge> : <Badge color="green">Customer</Badge>),
        },
        { label: 'Id', wide: true, cell: ({ id }) => <Copied value={id} label="Copy customer id" /> },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      empty={
        <Empty icon="people" title="No customers yet">
          A customer belongs to one partner’s portal, and may approve applications of any.
        </Empty>
      }
    />
  )
}

function NewCustomer({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const partners = usePages<Partner>('/partners')
  const [form, setForm] = useState({ name: '', partner_id: '', person: '', email: '', password: '' })
  const set = (field: keyof typeof form) => (event: { currentTarget: { value: string } }) =>
    setForm({ ...form, [field]: event.currentTarget.value })
  const create = useChange({
    run: async () => {
      const customer = await api.post<Customer>('/customers', { name: form.name, partner_id: form.partner_id })
      const { person: name, email, password } = form
      await api.post(`/customers/${customer.id}/users`, { name, email, password, role: 'administrator' })
    },
    touches: ['/customers'],
    done: () => {
      onClose()
      return `${form.name} was created, with its first administrator.`
    },
    quiet: true,
  })
  const errors = fieldErrors(create.error)
  return (
    <Modal opened onClose={onClose} title="New customer" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            value={form.name}
            onChange={set('name')}
            error={errors.name}
            required
            data-autofocus
          />
          <Select
            label="Partner"
            data={partners.items.map(({ id, name }) => ({ value: id, label: name }))}
            value={form.partner_id || null}
            onChange={(value) => setForm({ ...form, partner_id: value ?? '' })}
            error={errors.partner_id}
            searchable
            required
          />
          <TextInput label="First administrator" value={form.person} onChange={set('person')} required />
          <TextInput
            label="Email"
            type="email"
            value={form.email}
            onChange={set('email')}
            error={errors.email}
            required
          />
          <TextInput
            label="Password"
            type="password"
            description="10 characters or more; a known person keeps their own"
            value={form.password}
            onChange={set('password')}
            error={errors.password}
            autoComplete="new-password"
            required
          />
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Create customer
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
