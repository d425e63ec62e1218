import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Application, Partner as PartnerData } from '../api/operator.ts'
import { ApplicationFields, typedAddresses } from '../components/application/application-fields.tsx'
import { SecretOnce } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Fact, Loaded, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { DataTable } from '../components/table/table.tsx'
import { applicationColumns, applicationPath } from './applications.tsx'
import { customerColumns, customerPath } from './customers.tsx'

export function Partner() {
  const { partnerId = '' } = useParams()
  const partner = useRead('GET /core/v1/operator/partners/{id}', { id: partnerId })
  const applications = usePages('GET /core/v1/operator/partners/{id}/applications', { id: partnerId })
  const customers = usePages('GET /core/v1/operator/customers', { partner_id: partnerId })
  const [dialog, setDialog] = useState<'application' | 'edit' | null>(null)
  return (
    <Loaded of={partner}>
      {(data) => (
        <Page
          title={data.name}
          above={[{ label: 'Partners', to: '/operator/partners' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setDialog('edit')}>
                Edit
              </Button>
              <Button leftSection={<Icon name="add" />} onClick={() => setDialog('application')}>
                New application
              </Button>
            </>
          }
        >
          <Group gap="xl" className="facts">
            <Fact label="Portal domain">{data.portal_domain ?? 'Not set: the consent screen does not work'}</Fact>
            <Fact label="Partner ID">
              <Copied value={data.id} />
            </Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Title order={2}>Applications</Title>
          <DataTable
            list={applications}
            label="Applications"
            unit="application"
            to={applicationPath}
            rowKey={({ client_id }) => client_id}
            columns={applicationColumns}
            empty={
              <Empty icon="plug" title="No applications yet">
                Register the first one. You get a client ID and a secret.
              </Empty>
            }
          />
          <Title order={2}>Customers</Title>
          <DataTable
            list={customers}
            label="Customers"
            unit="customer"
            to={customerPath}
            rowKey={({ id }) => id}
            columns={customerColumns}
            empty={
              <Empty icon="people" title="No customers yet">
                Create one under Customers and choose this partner.
              </Empty>
            }
          />
          {dialog === 'application' && <NewApplication partner={data} onClose={() => setDialog(null)} />}
          {dialog === 'edit' && <EditPartner partner={data} onClose={() => setDialog(null)} />}
        </Page>
      )}
    </Loaded>
  )
}

function NewApplication({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const form = useForm({
    initialValues: { name: '', redirect_uris: '', id_token_alg: 'RS256' as Application['id_token_alg'] },
  })
  const create = useChange({
    run: () =>
      api.send('POST /core/v1/operator/partners/{id}/applications', {
        id: partner.id,
        body: {
          ...form.values,
          redirect_uris: typedAddresses(form.values.redirect_uris),
        },
      }),
    invalidates: ['GET /core/v1/operator/partners', 'GET /core/v1/operator/applications'],
    silent: true,
  })
  if (create.data) {
    const { name, client_id, client_secret } = create.data
    return (
      <SecretOnce
        title={`${name} registered`}
        secret={`client_id=${client_id}\nclient_secret=${client_secret}`}
        kept="compared"
        onClose={onClose}
      >
        <Text size="sm">Send both to the partner over a secure channel.</Text>
      </SecretOnce>
    )
  }
  return (
    <FormDialog
      form={form}
      title={`New application of ${partner.name}`}
      verb="Register application"
      change={create}
      onClose={onClose}
    >
      <ApplicationFields form={form} />
    </FormDialog>
  )
}

function EditPartner({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { name: partner.name, portal_domain: partner.portal_domain ?? '' } })
  const save = useChange({
    run: () =>
      api.send('PATCH /core/v1/operator/partners/{id}', {
        id: partner.id,
        body: {
          name: form.values.name,
          portal_domain: form.values.portal_domain.trim() || null,
        },
      }),
    invalidates: ['GET /core/v1/operator/partners'],
    done: () => {
      onClose()
      return 'Saved.'
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title={`Edit ${partner.name}`} verb="Save" change={save} onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} required data-autofocus />
      <TextInput
        label="Portal domain"
        description="Host of the consent screen and the customer portal, with its port unless it is 443. Without one the consent screen does not work."
        {...form.getInputProps('portal_domain')}
      />
    </FormDialog>
  )
}
