import { Badge } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { Application } from '../api/partner.ts'
import { Copied } from '../parts/copy.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

export function Applications() {
  const { partnerId } = useParams()
  const list = usePages<Application>('/applications')
  return (
    <Page
      title="Applications"
      about="Your OAuth clients. The operator registers them, rotates their secrets and can disable them."
    >
      <ListTable
        list={list}
        label="Applications"
        rowKey={({ client_id }) => client_id}
        columns={[
          {
            label: 'Name',
            cell: ({ client_id, name }) => <Link to={`/partner/${partnerId}/applications/${client_id}`}>{name}</Link>,
          },
          {
            label: 'Client id',
            wide: true,
            cell: ({ client_id }) => <Copied value={client_id} label="Copy client id" />,
          },
          {
            label: 'State',
            cell: ({ enabled }) => (
              <Badge color={enabled ? 'green' : 'red'}>{enabled ? 'Enabled' : 'Disabled by the operator'}</Badge>
            ),
          },
          { label: 'Redirect URIs', wide: true, cell: ({ redirect_uris }) => redirect_uris.length },
          { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
        ]}
        empty={
          <Empty icon="plug" title="No applications yet">
            Ask the operator of this service to register one for you, with your redirect URIs. You get a client id, and
            a secret that is shown once.
          </Empty>
        }
      />
    </Page>
  )
}
