import { Badge, Group } from '@mantine/core'
import { Link } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { Application, Partner } from '../api/operator.ts'
import { ApplicationState } from '../components/application.tsx'
import { Copied } from '../components/copy.tsx'
import { ListPage } from '../components/list-page.tsx'
import type { Column } from '../components/list-table.tsx'
import { When } from '../components/when.tsx'

export const applicationColumns: Column<Application>[] = [
  { label: 'Name', cell: ({ client_id, name }) => <Link to={`/operator/applications/${client_id}`}>{name}</Link> },
  { label: 'Client id', wide: true, cell: ({ client_id }) => <Copied value={client_id} label="Copy client id" /> },
  {
    label: 'State',
    cell: ({ enabled, secret_rotation_requested_at }) => (
      <Group gap={4}>
        <ApplicationState enabled={enabled} />
        {secret_rotation_requested_at && <Badge color="yellow">Asks for a new secret</Badge>}
      </Group>
    ),
  },
  { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

export function Applications() {
  const partners = usePages<Partner>('/partners')
  const names = new Map(partners.items.map(({ id, name }) => [id, name]))
  return (
    <ListPage
      title="Applications"
      about="Every registered OAuth client. A new one is registered on its partner’s page."
      list={usePages<Application>('/applications')}
      rowKey={({ client_id }) => client_id}
      columns={applicationColumns.toSpliced(1, 0, {
        label: 'Partner',
        cell: ({ partner_id }) => names.get(partner_id),
      })}
      empty={{
        icon: 'plug',
        title: 'No applications yet',
        teaches: 'Open a partner and register its first application: you get a client id and a secret to hand over.',
      }}
    />
  )
}
