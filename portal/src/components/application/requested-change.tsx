import { Alert, Button, Group, Text } from '@mantine/core'
import { useApi, useChange, useRead } from '../../api/api.tsx'
import type { Reload } from '../../api/operations.ts'
import type { Application, RequestedChange as Requested } from '../../api/partner.ts'
import { Icon } from '../page/icon.tsx'
import { When } from '../page/when.tsx'
import { AskedList } from './asked-list.tsx'

export const sentForApproval = 'Sent to the operator for approval.'

/** Whether a change is in force, and does not wait. */
export function isSaved({ requested_change }: Application): boolean {
  return requested_change === null || requested_change.refused_at !== null
}

/** What a partner asked to change of what customers see: waiting for the operator, or refused. */
export function RequestedChange({ change, invalidates }: { change: Requested; invalidates: Reload[] }) {
  const api = useApi()
  const isRefused = change.refused_at !== null
  const withdraw = useChange({
    run: () => api.send('DELETE /core/v1/partner/presentation-changes/{id}', { id: change.id }),
    invalidates: [...invalidates, 'GET /core/v1/partner/presentation-changes/{id}'],
    done: () => (isRefused ? 'Dismissed.' : 'Withdrawn. Customers see what they saw before.'),
  })
  return (
    <Alert
      color={isRefused ? 'red' : 'yellow'}
      p="sm"
      icon={<Icon name={isRefused ? 'alert' : 'clock'} />}
      title={isRefused ? 'The operator refused this change' : 'Waits for approval by the operator'}
    >
      {isRefused && (
        <Text size="sm" mb={6} style={{ overflowWrap: 'anywhere' }}>
          “{change.reason}”
        </Text>
      )}
      <Wanted change={change} />
      <Group gap="sm" mt="xs">
        <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {isRefused ? 'Dismiss' : 'Withdraw'}
        </Button>
        <Text size="xs" span>
          {isRefused ? 'Refused ' : 'Requested '}
          <When at={change.refused_at ?? change.requested_at} size="xs" />
          {!isRefused && '. Customers see the old version until then.'}
        </Text>
      </Group>
    </Alert>
  )
}

function Wanted({ change }: { change: Requested }) {
  const { id, revision, fields, name, home_page, requested_permissions } = change
  const hasLogo = fields.includes('logo')
  // The revision makes it another query when the logo is replaced.
  const logo = useRead('GET /core/v1/partner/presentation-changes/{id}', { id }, { enabled: hasLogo, revision })
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      {fields.includes('name') && (
        <div>
          Name: <strong>{name}</strong>
        </div>
      )}
      {fields.includes('home_page') && <div>Home page: {home_page ?? 'none'}</div>}
      {fields.includes('requested_permissions') && (
        <div>
          Permissions: <AskedList asked={requested_permissions} />
        </div>
      )}
      {hasLogo && (
        <Group gap="xs">
          Logo: {logo.data?.logo ? <WantedLogo logo={logo.data.logo} /> : logo.data ? 'none' : '…'}
        </Group>
      )}
    </Text>
  )
}

/** From the response itself, so that nobody else can load it before it is approved. */
export function WantedLogo({ logo, alt = 'Requested logo' }: { logo: { type: string; data: string }; alt?: string }) {
  return <img className="wanted-logo" src={`data:${logo.type};base64,${logo.data}`} alt={alt} />
}
