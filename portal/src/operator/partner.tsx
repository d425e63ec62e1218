import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Application } from '../api/operator.ts'
import { Copied } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Shown } from '../parts/page.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { When } from '../parts/when.tsx'
import { ApplicationTable } from './applications.tsx'
import { CustomerTable } from './customers.tsx'
import type { Partner as PartnerData } from './partners.tsx'

export function Partner() {
  const { partnerId = '' } = useParams()
  const partner = useRead<PartnerData>(`/partners/${partnerId}`)
  const applications = usePages<Application>(`/partners/${partnerId}/applications`)
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
          <Text fw={600}>Applications</Text>
          <ApplicationTable list={applications} />
          <Text fw={600}>Customers</Text>
          <CustomerTable partnerId={data.id} />
          {act === 'application' && <NewApplication partner={data} onClose={() => setAct(null)} />}
          {act === 'edit' && <EditPartner partner={data} onClose={() => setAct(null)} />}
        </Page>
      )}
    </Shown>
  )
}

function NewApplication({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const [name, setName] = useState('')
  const [uris, setUris] = useState('')
  const [alg, setAlg] = useState<string | null>('RS256')
  const create = useChange({
    run: () =>
      api.post<Application & { client_secret: string }>(`/partners/${partner.id}/applications`, {
        name,
        redirect_uris: uris.split(/\s+/).filter(Boolean),
        id_token_alg: alg,
      }),
    touches: ['/partners', '/applications'],
    quiet: true,
  })
  const errors = fieldErrors(create.error)
  if (create.data) {
    const { client_id, client_secret } = create.data
    return (
      <SecretOnce
        title={`${create.data.name} is registered`}
        secret={`client_id=${client_id}\nclient_secret=${client_secret}`}
        onClose={onClose}
      >
        <Text size="sm">Hand both to the partner over a channel you trust.</Text>
      </SecretOnce>
    )
  }
  const uriError = create.error?.details.find(({ field }) => field.startsWith('redirect_uris'))
  return (
    <Modal
      opened
      onClose={onClose}
      title={`New application of ${partner.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="What people read on the consent screen"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <Textarea
            label="Redirect URIs"
            description="One a line; compared byte for byte"
            placeholder="https://app.example.com/callback"
            value={uris}
            onChange={(event) => setUris(event.currentTarget.value)}
            error={uriError?.message}
            autosize
            minRows={2}
            required
          />
          <Select
            label="id_token signature"
            data={['RS256', 'ES256']}
            value={alg}
            onChange={setAlg}
            allowDeselect={false}
          />
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Register
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

function EditPartner({ partner, onClose }: { partner: PartnerData; onClose: () => void }) {
  const api = useApi()
  const [name, setName] = useState(partner.name)
  const [domain, setDomain] = useState(partner.portal_domain ?? '')
  const save = useChange({
    run: () => api.patch(`/partners/${partner.id}`, { name, portal_domain: domain.trim() || null }),
    touches: ['/partners'],
    done: () => {
      onClose()
      return 'Saved.'
    },
    quiet: true,
  })
  const errors = fieldErrors(save.error)
  return (
    <Modal opened onClose={onClose} title={`Edit ${partner.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <TextInput
            label="Portal domain"
            description="host[:port]; without one, its applications’ consent screen answers 500"
            value={domain}
            onChange={(event) => setDomain(event.currentTarget.value)}
            error={errors.portal_domain}
          />
          <FormFailure error={save.error} />
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
