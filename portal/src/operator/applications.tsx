import { Badge, Group } from '@mantine/core'
import { useAll, usePages } from '../api/api.tsx'
import type { Application } from '../api/operator.ts'
import { ApplicationState } from '../components/application/application.tsx'
import { Copied } from '../components/page/copy.tsx'
import { When } from '../components/page/when.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import type { Column } from '../components/table/table.tsx'

export const applicationPath = ({ client_id }: Application) => `/operator/applications/${client_id}`

export const applicationColumns: Column<Application>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Client ID', wide: true, cell: ({ client_id }) => <Copied value={client_id} label="Copy client ID" /> },
  {
    label: 'State',
    cell: ({ enabled, secret_rotation_requested_at }) => (
      <Group gap={4}>
        <ApplicationState enabled={enabled} />
        {secret_rotation_requested_at && <Badge color="yellow">New secret requested</Badge>}
      </Group>
    ),
  },
  { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

export function Applications() {
  const partners = useAll('GET /core/v1/operator/partners')
  const names = new Map(partners.items.map(({ id, name }) => [id, name]))
  return (
    <ListPage
      title="Applications"
      about="All registered OAuth clients. Register a new one on the page of its partner."
      list={usePages('GET /core/v1/operator/applications')}
      unit="application"
      rowKey={({ client_id }) => client_id}
      to={applicationPath}
      columns={applicationColumns.toSpliced(1, 0, {
        label: 'Partner',
        wide: true,
        cell: ({ partner_id }) => names.get(partner_id),
      })}
      empty={{
        icon: 'plug',
        title: 'No applications yet',
        hint: 'Open a partner and register its first application.',
      }}
    />
  )
}
