import { useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import { ApplicationState } from '../components/application/application.tsx'
import { Copied } from '../components/page/copy.tsx'
import { When } from '../components/page/when.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { ApplicationRequests, AskForApplication } from './application-requests.tsx'

export function Applications() {
  const { partnerId } = useParams()
  return (
    <ListPage
      title="Applications"
      about="Your OAuth clients. The operator registers those you ask for, rotates their secrets and can disable them."
      create={{ verb: 'Ask for a new application', Dialog: AskForApplication }}
      list={usePages('GET /core/v1/partner/applications')}
      rowKey={({ client_id }) => client_id}
      unit="application"
      to={({ client_id }) => `/partner/${partnerId}/applications/${client_id}`}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        {
          label: 'Client ID',
          wide: true,
          cell: ({ client_id }) => <Copied value={client_id} label="Copy client ID" />,
        },
        { label: 'State', cell: ({ enabled }) => <ApplicationState enabled={enabled} /> },
        { label: 'Redirect URIs', wide: true, cell: ({ redirect_uris }) => redirect_uris.length },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
      ]}
      empty={{
        icon: 'plug',
        title: 'No applications yet',
        hint: 'Ask for one with your redirect URIs. The operator registers it and sends you a client ID and a secret.',
      }}
    >
      <ApplicationRequests />
    </ListPage>
  )
}
