import { Button, Group, Select, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type {
  Application,
  Customer,
  Partner as PartnerData,
  NewApplication as RegisteredApplication,
} from '../api/operator.ts'
import { Copied } from '../components/copy.tsx'
import { Fact } from '../components/fact.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { ListTable } from '../components/list-table.tsx'
import { Empty, Page, Shown } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { When } from '../components/when.tsx'
import { applicationColumns } from './applications.tsx'
import { customerColumns } from './customers.tsx'

export function Partner() {
  const { partnerId = '' } = useParams()
  const partner = useRead<PartnerData>(`/partners/${partnerId}`)
  const applications = usePages<Application>(`/partners/${partnerId}/applications`)
  const customers = usePages<Customer>('/customers', { partner_id: partnerId })
  const [act, setAct] = useState<'application' | 'edit' | null>(null)
  return (
    <Shown of={partner}>
      {(data) => (
        <Page
          title={data.name}
          above={[{ label: 'Partners', to: '/operator/partners' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setAct('edit')}>
                Edit
              </Button>
              <Button leftSection={<Icon name="add" />} onClick={() => setAct('application')}>
                New application
              </Button>
            </>
          }
        >
          <Group gap="xl" className="facts">
            <Fact label="Portal domain">{data.portal_domain ?? 'none: consent answers 500 until it is set'}</Fact>
            <Fact label="Partner id">
              <Copied value={data.id} />
            </Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Title order={2}>Applications</Title>
          <ListTable
            list={applications}
            label="Applications"
            rowKey={({ client_id }) => client_id}
            columns={applicationColumns}
            empty={
              <Empty icon="plug" title="No applications yet">
                Register the first one: you get a client id and a secret to hand over.
              </Empty>
            }
          />
          <Title order={2}>Customers</Title>
          <ListTable
            list={customers}
            label="Customers"
            rowKey={({ id }) => id}
            columns={customerColumns}
            empty={
              <Empty icon="people" title="No customers yet">
                Make one under Customers, and choose this partner.
              </Empty>
            }
          />
          {act === 'application' && <NewApplication partner={data} onClose={() => setAct(null)} />}
          {act === 'edit' && <EditPartner partner={data} onClose={() => setAct(null)} />}
        </Page>
      )}
    </Shown>
  )
}

function NewApplication({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: '', uris: '', id_token_alg: 'RS256' as string | null })
  const create = useChange({
    run: () => {
      const { uris, ...rest } = form
      return api.post<RegisteredApplication>(`/partners/${partner.id}/applications`, {
        ...rest,
        redirect_uris: uris.split(/\s+/).filter(Boolean),
      })
    },
    touches: ['/partners', '/applications'],
    quiet: true,
  })
  const field = fieldsOf(create.error)
  if (create.data) {
    const { name, client_id, client_secret } = create.data
    return (
      <SecretOnce
        title={`${name} is registered`}
        secret={`client_id=${client_id}\nclient_secret=${client_secret}`}
        onClose={onClose}
      >
        <Text size="sm">Hand both to the partner over a channel you trust.</Text>
      </SecretOnce>
    )
  }
  // The service counts them; here they are lines of one field.
  const refused = create.error?.details.find(({ field: name }) => name.startsWith('redirect_uris'))?.field
  return (
    <FormDialog title={`New application of ${partner.name}`} verb="Register" change={create} onClose={onClose}>
      <TextInput
        label="Name"
        description="What people read on the consent screen"
        {...field('name')}
        required
        data-autofocus
      />
      <Textarea
        label="Redirect URIs"
        description="One a line; compared byte for byte"
        placeholder="https://app.example.com/callback"
        {...field('uris', refused)}
        autosize
        minRows={2}
        required
      />
      <Select label="id_token signature" data={['RS256', 'ES256']} {...field('id_token_alg')} allowDeselect={false} />
    </FormDialog>
  )
}

function EditPartner({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: partner.name, portal_domain: partner.portal_domain ?? '' })
  const save = useChange({
    run: () =>
      api.patch(`/partners/${partner.id}`, { name: form.name, portal_domain: form.portal_domain.trim() || null }),
    touches: ['/partners'],
    done: () => {
      onClose()
      return 'Saved.'
    },
    quiet: true,
  })
  const field = fieldsOf(save.error)
  return (
    <FormDialog title={`Edit ${partner.name}`} verb="Save" change={save} onClose={onClose}>
      <TextInput label="Name" {...field('name')} required data-autofocus />
      <TextInput
        label="Portal domain"
        description="host[:port]; without one, its applications’ consent screen answers 500"
        {...field('portal_domain')}
      />
    </FormDialog>
  )
}
