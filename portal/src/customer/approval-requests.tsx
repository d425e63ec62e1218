import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import type { ApprovalRequest } from '../api/organization.ts'
import { AppLogo, HomePage } from '../components/application/app-logo.tsx'
import { PartnerDomain } from '../components/application/partner-domain.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { LoadMore } from '../components/table/list.tsx'
import { isComplete, PolicyFields, policyOf } from './policy-fields.tsx'

/** Members who ask for an application; nothing while nobody does. */
export function ApprovalRequests() {
  const list = usePages('GET /core/v1/organization/approval-requests', {}, { every: 15_000 })
  const [approving, setApproving] = useState<ApprovalRequest | null>(null)
  if (list.items.length === 0) return null
  return (
    <Panel title="Requests">
      <Stack gap="md">
        {list.items.map((request) => (
          <Request key={request.id} request={request} onApprove={() => setApproving(request)} />
        ))}
      </Stack>
      <LoadMore list={list}>Show more</LoadMore>
      {approving && <Approve request={approving} onClose={() => setApproving(null)} />}
    </Panel>
  )
}

const changed: Reload[] = [
  'GET /core/v1/organization/approval-requests',
  'GET /core/v1/organization/connected-apps',
  'GET /core/v1/organization/audit-events',
]

function Request({ request, onApprove }: { request: ApprovalRequest; onApprove: () => void }) {
  const api = useApi()
  const { application, user, note, requested_at } = request
  const decline = useChange({
    run: () => api.send('POST /core/v1/organization/approval-requests/{id}/decline', { id: request.id }),
    invalidates: changed,
    done: () => `Request from ${user.name} declined.`,
  })
  return (
    <Group
      justify="space-between"
      align="flex-start"
      component="article"
      aria-label={`${application.name} for ${user.name}`}
    >
      <Group gap="sm" wrap="nowrap" align="flex-start" style={{ minWidth: 0, flex: '1 1 260px' }}>
        <AppLogo app={application} />
        <div style={{ minWidth: 0 }}>
          <Text size="sm">
            <strong>{user.name}</strong> ({user.email}) wants to connect <strong>{application.name}</strong>
          </Text>
          <Text size="sm" c="dimmed" component="div">
            by {application.partner_name}
            {' · '}
            <PartnerDomain domain={application.partner_domain} />
            {application.home_page && (
              <>
                {' · '}
                <HomePage address={application.home_page} />
              </>
            )}
            {' · '}
            <When at={requested_at} />
          </Text>
          {note && (
            <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
              “{note}”
            </Text>
          )}
        </div>
      </Group>
      <Group gap="xs">
        <Button onClick={onApprove}>Approve</Button>
        <Button variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
          Decline
        </Button>
      </Group>
    </Group>
  )
}

function Approve({ request, onClose }: { request: ApprovalRequest; onClose: () => void }) {
  const api = useApi()
  const { application } = request
  const form = useForm({ initialValues: { policy: { kind: 'everyone', group_id: null as string | null } } })
  const approve = useChange({
    run: () =>
      api.send('POST /core/v1/organization/approval-requests/{id}/approve', {
        id: request.id,
        body: { policy: policyOf(form.values) },
      }),
    invalidates: changed,
    done: () => {
      onClose()
      return `${application.name} approved.`
    },
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={`Approve ${application.name}?`}
      verb="Approve"
      change={approve}
      ready={isComplete(form.values)}
      onClose={onClose}
    >
      <Text size="sm">
        Once a user connects it, {application.name} by {application.partner_name} has{' '}
        <strong>all the access that it asks for, in the whole organization</strong>. You can narrow it under Connected
        apps.
      </Text>
      <PolicyFields form={form} />
    </FormDialog>
  )
}
