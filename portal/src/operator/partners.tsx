import { TextInput } from '@mantine/core'
import { Link } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Partner } from '../api/operator.ts'
import { Copied } from '../components/copy.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { ListPage } from '../components/list-page.tsx'
import { When } from '../components/when.tsx'
import { FirstPerson, nobody } from './first-person.tsx'

export function Partners() {
  return (
    <ListPage
      title="Partners"
      about="Companies that build applications and devices. Each is born with a lab tenant to try everything in."
      list={usePages<Partner>('/partners')}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: ({ id, name }) => <Link to={`/operator/partners/${id}`}>{name}</Link> },
        { label: 'Portal domain', cell: ({ portal_domain }) => portal_domain ?? 'none: consent cannot be shown' },
        { label: 'Id', wide: true, cell: ({ id }) => <Copied value={id} label="Copy partner id" /> },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      create={{ verb: 'New partner', Dialog: NewPartner }}
      empty={{
        icon: 'building',
        title: 'No partners yet',
        teaches:
          'A partner owns applications and device models. Its first person can sign in to the partner portal at once.',
      }}
    />
  )
}

function NewPartner({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: '', portal_domain: location.host, ...nobody })
  const create = useChange({
    run: () => {
      const { name, portal_domain, person, email, password } = form
      return api.post('/partners', {
        name,
        portal_domain: portal_domain || null,
        admin: { name: person, email, password },
      })
    },
    touches: ['/partners'],
    done: () => {
      onClose()
      return `${form.name} was created, with a lab tenant.`
    },
    quiet: true,
  })
  const field = fieldsOf(create.error)
  return (
    <FormDialog title="New partner" verb="Create partner" change={create} onClose={onClose}>
      <TextInput label="Name" {...field('name')} required data-autofocus />
      <TextInput
        label="Portal domain"
        description="host[:port] that shows the consent screen and the customers’ portal"
        {...field('portal_domain')}
      />
      <FirstPerson
        label="First person"
        name={field('person', 'admin.name')}
        email={field('email', 'admin.email')}
        password={field('password', 'admin.password')}
      />
    </FormDialog>
  )
}
