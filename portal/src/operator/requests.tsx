import { Anchor, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import type { PresentationChange, PresentationChangeWithLogo } from '../api/operator.ts'
import { AppLogo } from '../components/application/app-logo.tsx'
import { AskedList } from '../components/application/asked-list.tsx'
import { WantedLogo } from '../components/application/requested-change.tsx'
import { SecretOnce } from '../components/form/dialog.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'
import { Refuse, RequestCard } from './request-card.tsx'
import { type Registered, WantedApplication } from './wanted-application.tsx'

const changed: Reload[] = [
  'GET /core/v1/operator/waiting-requests',
  'GET /core/v1/operator/presentation-changes',
  'GET /core/v1/operator/applications',
  'GET /core/v1/operator/partners',
  'GET /core/v1/operator/audit-events',
]

/** New applications that partners ask for, and changes of what customers see of them. */
export function Requests() {
  const wishes = usePages('GET /core/v1/operator/application-requests', {}, { every: 15_000 })
  const changes = usePages('GET /core/v1/operator/presentation-changes', {}, { every: 15_000 })
  // Here and not in its card, which goes with the approval.
  const [registered, setRegistered] = useState<Registered | null>(null)
  return (
    <Page
      title="Partner requests"
      about="New applications, and names, home pages, logos and permissions that partners want to change. Customers see the old version until you approve. Check that the partner may use the name and the logo, and that the reasons are true."
    >
      <LoadedList list={wishes} empty={null}>
        {(items) =>
          items.map((wish) => (
            <WantedApplication
              key={wish.id}
              wish={wish}
              onRegistered={setRegistered}
              onFailure={() => void wishes.refetch()}
            />
          ))
        }
      </LoadedList>
      <LoadMore list={wishes}>Show more new applications</LoadMore>
      <LoadedList list={changes} empty={wishes.items.length === 0 ? <NothingToApprove /> : null}>
        {(items) =>
          items.map((change) => <Change key={change.id} change={change} onFailure={() => void changes.refetch()} />)
        }
      </LoadedList>
      <LoadMore list={changes}>Show more changes</LoadMore>
      {registered && (
        <SecretOnce
          title={`${registered.name} registered`}
          secret={`client_id=${registered.client_id}\nclient_secret=${registered.client_secret}`}
          kept="compared"
          onClose={() => setRegistered(null)}
        >
          <Text size="sm">Send both to the partner over a secure channel.</Text>
        </SecretOnce>
      )}
    </Page>
  )
}

function NothingToApprove() {
  return (
    <Paper withBorder>
      <Empty icon="check" title="Nothing to approve">
        When a partner asks for an application, or changes a name, home page, logo or permissions, its request appears
        here.
      </Empty>
    </Paper>
  )
}

interface ChangeProps {
  change: PresentationChange
  /** The partner may have changed it. */
  onFailure: () => void
}

function Change({ change, onFailure }: ChangeProps) {
  const api = useApi()
  const [refusing, setRefusing] = useState(false)
  const { id, revision, partner_id, partner_name, partner_domain, client_id, current, requested_at } = change
  // What is approved is what was shown: the logo of the same revision.
  const hasLogo = change.fields.includes('logo')
  const one = useRead('GET /core/v1/operator/presentation-changes/{id}', { id }, { enabled: hasLogo, revision })
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
    <RequestCard
      label={`${current.name}, requested by ${partner_name}`}
      title={
        <Anchor
          component={Link}
          to={client_id ? `/operator/applications/${client_id}` : `/operator/partners/${partner_id}`}
          inherit
        >
          {current.name}
        </Anchor>
      }
      kind={client_id ? `Application by ${partner_name}` : 'The partner itself'}
      domain={partner_domain}
      at={requested_at}
      approve={approve}
      isShown={!hasLogo || one.data?.revision === revision}
      onRefuse={() => setRefusing(true)}
    >
      <Differences change={change} logo={one.data?.revision === revision ? one.data.logo : undefined} />
      {refusing && (
        <Refuse
          title="Refuse this change?"
          consequence="Customers go on seeing what they see now."
          placeholder="This logo belongs to another company."
          send={(reason) =>
            api.send('POST /core/v1/operator/presentation-changes/{id}/refuse', { id, body: { revision, reason } })
          }
          invalidates={changed}
          onClose={() => setRefusing(false)}
        />
      )}
    </RequestCard>
  )
}

/** Undefined while the logo is loading. */
function Differences({
  change: { fields, current, name, home_page, requested_permissions },
  logo,
}: {
  change: PresentationChange
  logo: PresentationChangeWithLogo['logo'] | undefined
}) {
  return (
    <table className="plain-table dense request" aria-label="Requested changes">
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
        {fields.includes('requested_permissions') && (
          <tr>
            <td>Permissions</td>
            <td className="breakable">
              <AskedList asked={current.requested_permissions} />
            </td>
            <td className="breakable">
              <AskedList asked={requested_permissions} />
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
