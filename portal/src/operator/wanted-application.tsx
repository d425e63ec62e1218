import { Anchor, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import type { ApplicationRequest } from '../api/operator.ts'
import { AskedList } from '../components/application/asked-list.tsx'
import { WantedLogo } from '../components/application/requested-change.tsx'
import { Refuse, RequestCard } from './request-card.tsx'

const changed: Reload[] = [
  'GET /core/v1/operator/waiting-requests',
  'GET /core/v1/operator/application-requests',
  'GET /core/v1/operator/applications',
  'GET /core/v1/operator/audit-events',
]

export interface Registered {
  name: string
  client_id: string
  client_secret: string
}

interface WantedApplicationProps {
  wish: ApplicationRequest
  /** With the secret, which is shown once. */
  onRegistered: (application: Registered) => void
  /** The partner may have changed it. */
  onFailure: () => void
}

/** A new application that a partner asks for. */
export function WantedApplication({ wish, onRegistered, onFailure }: WantedApplicationProps) {
  const api = useApi()
  const [refusing, setRefusing] = useState(false)
  const { id, revision, name, partner_id, partner_name, partner_domain, requested_at, has_logo } = wish
  // What is approved is what was shown: the logo of the same revision.
  const one = useRead('GET /core/v1/operator/application-requests/{id}', { id }, { enabled: has_logo, revision })
  const isShown = !has_logo || one.data?.revision === revision
  const approve = useChange({
    run: () =>
      api
        .send('POST /core/v1/operator/application-requests/{id}/approve', { id, body: { revision } })
        .catch((error) => {
          onFailure()
          throw error
        }),
    invalidates: changed,
    done: (application) => {
      onRegistered(application)
      return 'Approved and registered.'
    },
  })
  return (
    <RequestCard
      label={`New application ${name}, requested by ${partner_name}`}
      title={name}
      kind={
        <>
          New application of{' '}
          <Anchor component={Link} to={`/operator/partners/${partner_id}`} inherit underline="always">
            {partner_name}
          </Anchor>
        </>
      }
      domain={partner_domain}
      at={requested_at}
      approve={approve}
      isShown={isShown}
      onRefuse={() => setRefusing(true)}
    >
      <Wish wish={wish} logo={isShown && one.data?.logo ? <WantedLogo logo={one.data.logo} /> : '…'} />
      {refusing && (
        <Refuse
          title={`Refuse ${name}?`}
          consequence="Nothing is registered. The partner can change its request and ask again."
          placeholder="Which of your products is this?"
          send={(reason) =>
            api.send('POST /core/v1/operator/application-requests/{id}/refuse', { id, body: { revision, reason } })
          }
          invalidates={changed}
          onClose={() => setRefusing(false)}
        />
      )}
    </RequestCard>
  )
}

function Wish({ wish, logo }: { wish: ApplicationRequest; logo: ReactNode }) {
  const { home_page, redirect_uris, id_token_alg, has_logo, requested_permissions } = wish
  return (
    <table className="plain-table dense request" aria-label="Requested application">
      <thead>
        <tr>
          <th>Field</th>
          <th>Requested</th>
        </tr>
      </thead>
      <tbody>
        <Row label="Permissions">
          <AskedList asked={requested_permissions} />
        </Row>
        <Row label="Redirect URIs">
          <Stack gap={2}>
            {redirect_uris.map((uri) => (
              <Text key={uri} ff="monospace" size="xs">
                {uri}
              </Text>
            ))}
          </Stack>
        </Row>
        <Row label="Home page">{home_page ?? 'None'}</Row>
        <Row label="Logo">{has_logo ? logo : 'None'}</Row>
        <Row label="id_token signature">{id_token_alg}</Row>
      </tbody>
    </table>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <tr>
      <td>{label}</td>
      <td className="breakable">{children}</td>
    </tr>
  )
}
