import { Badge, Button, Group, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAll, useApi, useChange, usePages } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { Customer } from '../api/operator.ts'
import { FormDialog } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, useFilters } from '../components/table/filters.tsx'
import { type Column, DataTable } from '../components/table/table.tsx'
import { FirstAccount, noAccount } from './partners.tsx'

export const customerColumns: Column<Customer>[] = [
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Kind',
    cell: ({ lab }) => (lab ? <Badge color="gray">Test tenant</Badge> : <Badge color="green">Customer</Badge>),
  },
  { label: 'ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy customer ID" /> },
  { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

export const customerPath = ({ id }: { id: string }) => `/operator/customers/${id}`

export function Customers() {
  const filters = useFilters('search')
  const [creating, setCreating] = useState(false)
  const partners = useAll('GET /core/v1/operator/partners')
  const names = new Map(partners.items.map(({ id, name }) => [id, name]))
  return (
    <Page
      title="Customers"
      about="Organizations with users, spaces and devices. A test tenant belongs to its partner."
      actions={
        <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
          New customer
        </Button>
      }
    >
      <Group>
        <SearchFilter filters={filters} name="search" label="Search customers" placeholder="Search by name" />
      </Group>
      <DataTable
        list={usePages('GET /core/v1/operator/customers', { search: filters.values.search ?? undefined })}
        label="Customers"
        unit="customer"
        rowKey={({ id }) => id}
        to={customerPath}
        columns={customerColumns.toSpliced(1, 0, {
          label: 'Partner',
          wide: true,
          cell: ({ partner_id }) => names.get(partner_id),
        })}
        empty={
          filters.any ? (
            <NoMatch title="No matching customers" onClear={filters.clear}>
              Search finds any part of a name.
            </NoMatch>
          ) : (
            <Empty icon="people" title="No customers yet">
              A customer uses the portal of one partner, and can approve applications of all partners.
            </Empty>
          )
        }
      />
      {creating && <NewCustomer onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NewCustomer({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const partners = useAll('GET /core/v1/operator/partners')
  const form = useForm({ initialValues: { name: '', partner_id: null as string | null, admin: noAccount } })
  // If the administrator is refused, the customer exists: the next attempt continues from there.
  const [created, setCreated] = useState<Customer | null>(null)
  const create = useChange({
    run: async () => {
      const { name, partner_id, admin } = form.values
      const customer =
        created ?? (await api.send('POST /core/v1/operator/customers', { body: { name, partner_id: partner_id! } }))
      setCreated(customer)
      await api
        .send('POST /core/v1/operator/customers/{id}/users', {
          id: customer.id,
          body: { ...admin, role: 'administrator' },
        })
        .catch((error: ApiError) => Promise.reject(error.within('admin')))
    },
    invalidates: ['GET /core/v1/operator/customers'],
    done: () => {
      onClose()
      return `${form.values.name} created, with its first administrator.`
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title="New customer" verb="Create customer" change={create} onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} disabled={created !== null} required data-autofocus />
      <Select
        label="Partner"
        data={partners.items.map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('partner_id')}
        disabled={created !== null}
        searchable
        required
      />
      <FirstAccount label="First administrator’s name" form={form} />
    </FormDialog>
  )
}
