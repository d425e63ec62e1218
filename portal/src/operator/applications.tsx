import { Badge, Group } from '@mantine/core'
import { Link } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { Application } from '../api/operator.ts'
import { Copied } from '../parts/copy.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import type { Partner } from './partners.tsx'

export function Applications() {
  const list = usePages<Application>('/applications')
  return (
    <Page title="Applications" about="Every registered OAuth client. A new one is registered on its partner’s page.">
      <ApplicationTable list={list} />
    </Page>
  )
}

export function ApplicationTable({ list }: { list: ReturnType<typeof usePages<Application>> }) {
  const partners = usePages<Partner>('/partners')
  const names = new Map(partners.items.map(({ id, name }) => [id, name]))
  return (
    <ListTable
      list={list}
      label="Applications"
      rowKey={({ client_id }) => client_id}
      columns={[
        {
          label: 'Name',
          cell: ({ client_id, name }) => <Link to={`/operator/applications/${client_id}`}>{name}</Link>,
        },
        { label: 'Partner', cell: ({ partner_id }) => names.get(partner_id) ?? '' },
        {
          label: 'Client id',
          wide: true,
          cell: ({ client_id }) => <Copied value={client_id} label="Copy client id" />,
        },
        {
          label: 'State',
          cell: ({ enabled, secret_rotation_requested_at }) => (
            <Group gap={4}>
              <Badge color={enabled ? 'green' : 'red'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
              {secret_rotation_requested_at && <Badge color="yellow">Asks for a new secret</Badge>}
            </Group>
          ),
        },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      empty={
        <Empty icon="plug" title="No applications yet">
          Open a partner and register its first application: you get a client id and a secret to hand over.
        </Empty>
      }
    />
  )
}
