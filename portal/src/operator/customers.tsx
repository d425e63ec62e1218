import { Badge, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Customer, Partner } from '../api/operator.ts'
import { Copied } from '../components/copy.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { ListPage } from '../components/list-page.tsx'
import type { Column } from '../components/list-table.tsx'
import { When } from '../components/when.tsx'
import { FirstPerson, nobody } from './first-person.tsx'

export const customerColumns: Column<Customer>[] = [
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Kind',
    cell: ({ lab }) => (lab ? <Badge color="gray">Lab</Badge> : <Badge color="green">Customer</Badge>),
  },
  { label: 'Id', wide: true, cell: ({ id }) => <Copied value={id} label="Copy customer id" /> },
  { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

export function Customers() {
  return (
    <ListPage
      title="Customers"
      about="Organizations with users, spaces and devices. A lab tenant belongs to its partner for testing."
      list={usePages<Customer>('/customers')}
      rowKey={({ id }) => id}
      columns={customerColumns}
      create={{ verb: 'New customer', Dialog: NewCustomer }}
      empty={{
        icon: 'people',
        title: 'No customers yet',
        teaches: 'A customer belongs to one partner’s portal, and may approve applications of any.',
      }}
    />
  )
}

function NewCustomer({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const partners = usePages<Partner>('/partners')
  const [form, fieldsOf] = useFields({ name: '', partner_id: null as string | null, ...nobody })
  // A refused person leaves the customer made: the next try goes on from there.
  const [made, setMade] = useState<Customer | null>(null)
  const create = useChange({
    run: async () => {
      const { name, partner_id, person, email, password } = form
      const customer = made ?? (await api.post<Customer>('/customers', { name, partner_id }))
      setMade(customer)
      await api.post(`/customers/${customer.id}/users`, { name: person, email, password, role: 'administrator' })
    },
    touches: ['/customers'],
    done: () => {
      onClose()
      return `${form.name} was created, with its first administrator.`
    },
    quiet: true,
  })
  const field = fieldsOf(create.error)
  return (
    <FormDialog
      title="New customer"
      verb="Create customer"
      change={create}
      ready={form.partner_id !== null}
      onClose={onClose}
    >
      <TextInput label="Name" {...field('name')} disabled={made !== null} required data-autofocus />
      <Select
        label="Partner"
        data={partners.items.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('partner_id')}
        disabled={made !== null}
        searchable
        required
      />
      <FirstPerson
        label="First administrator"
        name={field('person', 'name')}
        email={field('email')}
        password={field('password')}
      />
    </FormDialog>
  )
}
