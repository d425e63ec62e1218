import { Anchor, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import type { PresentationChange, PresentationChangeWithLogo } from '../api/operator.ts'
import { AppLogo } from '../components/application/app-logo.tsx'
import { PartnerDomain } from '../components/application/partner-domain.tsx'
import { WantedLogo } from '../components/application/requested-change.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'

const changed: Reload[] = [
  'GET /core/v1/operator/presentation-changes',
  'GET /core/v1/operator/applications',
  'GET /core/v1/operator/partners',
  'GET /core/v1/operator/audit-events',
]

/** Names, home pages and logos that partners want customers to see. */
export function PresentationChanges() {
  const list = usePages('GET /core/v1/operator/presentation-changes', {}, { every: 15_000 })
  const [refusing, setRefusing] = useState<PresentationChange | null>(null)
  return (
    <Page
      title="Appearance requests"
      about="Names, home pages and logos that partners want customers to see at consent. Customers see the old version until you approve. Check that the partner may use the name and the logo."
    >
      <LoadedList
        list={list}
        empty={
          <Paper withBorder>
            <Empty icon="check" title="Nothing to approve">
              When a partner changes a name, home page or logo, its request appears here.
            </Empty>
          </Paper>
        }
      >
        {(items) =>
          items.map((item) => (
            <Request
              key={item.id}
              change={item}
              onRefuse={() => setRefusing(item)}
              onFailure={() => void list.refetch()}
            />
          ))
        }
      </LoadedList>
      <LoadMore list={list}>Show more</LoadMore>
      {refusing && <Refuse change={refusing} onClose={() => setRefusing(null)} />}
    </Page>
  )
}

interface RequestProps {
  change: PresentationChange
  onRefuse: () => void
  /** The partner may have changed it. */
  onFailure: () => void
}

function Request({ change, onRefuse, onFailure }: RequestProps) {
  const api = useApi()
  const { id, revision, partner_id, partner_name, partner_domain, client_id, current, requested_at } = change
  // What is approved is what was shown: the logo of the same revision.
  const hasLogo = change.fields.includes('logo')
  const one = useRead('GET /core/v1/operator/presentation-changes/{id}', { id }, { enabled: hasLogo, revision })
  const isShown = !hasLogo || one.data?.revision === revision
  const approve = useChange({
    run: () =>
      api
        .send('POST /core/v1/operator/presentation-changes/{id}/approve', { id, body: { revision } })
        .catch((error) => {
          onFailure()
          throw error
        }),
    invalidates: changed,
    done: () => 'Approved. Customers see it from now on.',
  })
  return (
    <Paper withBorder p="md" component="article" aria-label={`${current.name}, requested by ${partner_name}`}>
      <Group justify="space-between" align="flex-start" mb="sm">
        <div style={{ minWidth: 0, flex: '1 1 260px' }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            <Anchor
              component={Link}
              to={client_id ? `/operator/applications/${client_id}` : `/operator/partners/${partner_id}`}
              inherit
            >
              {current.name}
            </Anchor>
          </Title>
          <Text size="sm" c="dimmed" component="div">
            {client_id ? `Application by ${partner_name}` : 'The partner itself'}
            {' · '}
            <PartnerDomain domain={partner_domain} />
            {' · '}
            <When at={requested_at} />
          </Text>
        </div>
        <Group gap="xs">
          <Button onClick={() => approve.mutate()} loading={approve.isPending} disabled={!isShown}>
            Approve
          </Button>
          <Button variant="default" onClick={onRefuse}>
            Refuse
          </Button>
        </Group>
      </Group>
      <Differences change={change} logo={one.data?.revision === revision ? one.data.logo : undefined} />
    </Paper>
  )
}

/** Undefined while the logo is loading. */
function Differences({
  change: { fields, current, name, home_page },
  logo,
}: {
  change: PresentationChange
  logo: PresentationChangeWithLogo['logo'] | undefined
}) {
  return (
    <table className="plain-table dense" aria-label="Requested changes">
      <thead>
        <tr>
          <th>Field</th>
          <th>Now</th>
          <th>Requested</th>
        </tr>
      </thead>
      <tbody>
        {fields.includes('name') && (
          <tr>
            <td>Name</td>
            <td className="breakable">{current.name}</td>
            <td className="breakable">
              <strong>{name}</strong>
            </td>
          </tr>
        )}
        {fields.includes('home_page') && (
          <tr>
            <td>Home page</td>
            <td className="breakable">{current.home_page ?? 'None'}</td>
            <td className="breakable">
              <strong>{home_page ?? 'None'}</strong>
            </td>
          </tr>
        )}
        {fields.includes('logo') && (
          <tr>
            <td>Logo</td>
            <td>{current.logo ? <AppLogo app={current} size="lg" /> : 'None'}</td>
            <td>{logo ? <WantedLogo logo={logo} /> : logo === null ? 'None' : '…'}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function Refuse({ change, onClose }: { change: PresentationChange; onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { reason: '' } })
  const refuse = useChange({
    run: () =>
      api.send('POST /core/v1/operator/presentation-changes/{id}/refuse', {
        id: change.id,
        body: { revision: change.revision, ...form.values },
      }),
    invalidates: changed,
    done: () => {
      onClose()
      return 'Refused. The partner sees your reason.'
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title="Refuse this change?" verb="Refuse" change={refuse} onClose={onClose}>
      <Stack gap="xs">
        <Text size="sm">Customers go on seeing what they see now.</Text>
        <TextInput
          label="Reason"
          description="Shown to the partner"
          placeholder="This logo belongs to another company."
          maxLength={300}
          required
          {...form.getInputProps('reason')}
        />
      </Stack>
    </FormDialog>
  )
}
