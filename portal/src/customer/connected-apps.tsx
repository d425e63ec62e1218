import { Alert, Badge, Button, Checkbox, Group, Paper, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useEtag, usePages } from '../api/api.tsx'
import type { ConnectedApp } from '../api/organization.ts'
import { AppLogo, HomePage } from '../components/application/app-logo.tsx'
import { PartnerDomain } from '../components/application/partner-domain.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { PermissionFields } from '../components/form/permission-fields.tsx'
import {
  areas,
  choicesOf,
  deletedText,
  isPermissionComplete,
  levelsOf,
  type PermissionValues,
  permissionsToSend,
  permissionText,
} from '../components/form/permissions.ts'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Fact, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'
import { ApprovalRequests } from './approval-requests.tsx'
import { isComplete, PolicyFields, policyOf } from './policy-fields.tsx'

/** Listed by approval, not by token: an app stays here when its tokens expire. */
export function ConnectedApps() {
  const list = usePages('GET /core/v1/organization/connected-apps')
  const [dialog, setDialog] = useState<{ kind: 'policy' | 'permissions' | 'revoke'; app: ConnectedApp } | null>(null)
  return (
    <Page
      title="Connected apps"
      about="Partner applications that an administrator approved. Each may do what was approved, also while nobody is signed in."
    >
      <ApprovalRequests />
      <LoadedList
        list={list}
        empty={
          <Paper withBorder>
            <Empty icon="plug" title="No connected apps">
              Start in the application itself: it sends you here to approve it, and then appears in this list.
            </Empty>
          </Paper>
        }
      >
        {(apps) =>
          apps.map((app) => (
            <AppCard
              key={app.client_id}
              app={app}
              onPolicy={() => setDialog({ kind: 'policy', app })}
              onPermissions={() => setDialog({ kind: 'permissions', app })}
              onRevoke={() => setDialog({ kind: 'revoke', app })}
            />
          ))
        }
      </LoadedList>
      <LoadMore list={list}>Show more</LoadMore>
      {dialog?.kind === 'policy' && <SignInPolicy app={dialog.app} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'permissions' && <Permissions app={dialog.app} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'revoke' && <RevokeApp app={dialog.app} onClose={() => setDialog(null)} />}
    </Page>
  )
}

function policyText(policy: ConnectedApp['policy']): string {
  if (policy.kind === 'everyone') return 'Everyone in this organization'
  if (policy.kind === 'administrators') return 'Administrators only'
  return `Administrators and the group ${policy.group_name ?? ''}`
}

/** `Berlin / Floor 1 and 2 more` */
function placesText(within: ConnectedApp['within']): string {
  if (within === null) return 'Everywhere'
  const names = within.flatMap(({ name }) => name ?? [])
  const deleted = deletedText(within)
  const shown = names.slice(0, maxNames).join(', ')
  const more = names.length > maxNames ? ` and ${(names.length - maxNames).toLocaleString('en')} more` : ''
  if (deleted === null) return shown === '' ? 'Nowhere' : `${shown}${more}`
  return shown === '' ? `Nowhere: ${deleted}` : `${shown}${more}; ${deleted}`
}

const maxNames = 5

/** Null when no user did. */
function connectedBy({ users, user_count }: ConnectedApp): string | null {
  if (user_count === 0) return null
  const names = users.slice(0, maxNames).map(({ name }) => name)
  const others = user_count - names.length
  return others === 0 ? names.join(', ') : `${names.join(', ')} and ${others.toLocaleString('en')} more`
}

interface AppCardProps {
  app: ConnectedApp
  onPolicy: () => void
  onPermissions: () => void
  onRevoke: () => void
}

function AppState({ app }: { app: ConnectedApp }) {
  if (!app.enabled) return <Badge color="red">Disabled by the operator</Badge>
  if (app.connected_at) return <Badge color="green">Connected</Badge>
  return <Badge color="gray">Approved, not connected</Badge>
}

function AppCard({ app, onPolicy, onPermissions, onRevoke }: AppCardProps) {
  const { customerId } = useParams()
  return (
    <Paper withBorder p="md" component="article" aria-label={app.name}>
      <Group justify="space-between" align="flex-start">
        <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
          <AppLogo app={app} />
          <div style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Title order={2}>{app.name}</Title>
              <AppState app={app} />
            </Group>
            <Text size="sm" c="dimmed">
              by {app.partner_name}
              {' · '}
              <PartnerDomain domain={app.partner_domain} />
              {app.home_page && (
                <>
                  {' · '}
                  <HomePage address={app.home_page} />
                </>
              )}
            </Text>
          </div>
        </Group>
        <Group gap="xs">
          <Button variant="default" component={Link} to={`/customer/${customerId}/access?client_id=${app.client_id}`}>
            Access
          </Button>
          <Button variant="default" onClick={onPermissions}>
            What it may do
          </Button>
          <Button variant="default" onClick={onPolicy}>
            Who may sign in
          </Button>
          <Button variant="light" color="red" onClick={onRevoke}>
            Revoke
          </Button>
        </Group>
      </Group>
      <Group gap="xl" mt="md" align="flex-start" className="facts">
        <Fact label="Approved">
          <When at={app.approved_at} />
          {app.approved_by ? ` by ${app.approved_by.name}` : ''}
        </Fact>
        <Fact label="Last used">
          <When at={app.last_used_at} />
        </Fact>
        <Fact label="May do">{permissionText(app.permissions)}</Fact>
        {asksForOther(app) && (
          <Fact label="Asks for">{permissionText(levelsOf('everything', app.requested_permissions))}</Fact>
        )}
        <Fact label="Where">{placesText(app.within)}</Fact>
        <Fact label="Who may sign in">{policyText(app.policy)}</Fact>
        <Fact label="Connected by">{connectedBy(app) ?? 'nobody'}</Fact>
      </Group>
    </Paper>
  )
}

function asksForOther({ permissions, requested_permissions }: ConnectedApp): boolean {
  return permissionText(permissions) !== permissionText(levelsOf('everything', requested_permissions))
}

/** Whether an administrator gave more than the application asks for now. */
function hasMore({ permissions, requested_permissions: asked }: ConnectedApp): boolean {
  const given = permissions ?? levelsOf('everything')
  return areas.some((area) => !choicesOf(area, asked).some(({ value }) => value === given[area]))
}

function Permissions({ app, onClose }: { app: ConnectedApp; onClose: () => void }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/organization/connected-apps/{client_id}', { client_id: app.client_id })
  const { permissions, within, requested_permissions } = app
  const form = useForm<PermissionValues>({ initialValues: { permissions, within } })
  const save = useChange({
    run: () =>
      api.send('PATCH /core/v1/organization/connected-apps/{client_id}', {
        client_id: app.client_id,
        body: permissionsToSend(form.values),
        etag,
      }),
    invalidates: ['GET /core/v1/organization/connected-apps'],
    done: () => {
      onClose()
      return `What ${app.name} may do is saved, and counts from its next request on.`
    },
    silent: true,
  })
  const isMore = hasMore(app)
  return (
    <FormDialog
      form={form}
      title={`What ${app.name} may do`}
      verb="Save"
      change={save}
      ready={etag !== undefined && isPermissionComplete(form.values)}
      onClose={onClose}
    >
      {isMore && (
        <Text size="sm">It asks for less: {permissionText(levelsOf('everything', requested_permissions))}.</Text>
      )}
      <PermissionFields
        value={form.values}
        onChange={(changes) => form.setValues(changes)}
        errors={form.errors}
        asked={isMore ? null : requested_permissions}
      />
    </FormDialog>
  )
}

function SignInPolicy({ app, onClose }: { app: ConnectedApp; onClose: () => void }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/organization/connected-apps/{client_id}', { client_id: app.client_id })
  const form = useForm({
    initialValues: { policy: { kind: app.policy.kind, group_id: app.policy.group_id }, revoke_tokens: false },
  })
  const save = useChange({
    run: () =>
      api.send('PATCH /core/v1/organization/connected-apps/{client_id}', {
        client_id: app.client_id,
        body: {
          policy: policyOf(form.values),
          ...(form.values.revoke_tokens ? { revoke_tokens: true } : {}),
        },
        etag,
      }),
    invalidates: ['GET /core/v1/organization/connected-apps'],
    done: () => {
      onClose()
      return `Sign-in policy of ${app.name} saved.`
    },
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={`Who may sign in to ${app.name}`}
      verb="Save"
      change={save}
      ready={etag !== undefined && isComplete(form.values)}
      onClose={onClose}
    >
      <PolicyFields form={form} />
      {app.connected_at && (
        <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
          <Text size="sm" mb="xs">
            This applies to new connections. Tokens already issued stay valid, no matter who connected the app, unless
            you revoke them now.
          </Text>
          <Checkbox
            label="Revoke all tokens already issued"
            description="The approval stays: permitted users can connect the app again"
            {...form.getInputProps('revoke_tokens', { type: 'checkbox' })}
          />
        </Alert>
      )}
    </FormDialog>
  )
}

function RevokeApp({ app, onClose }: { app: ConnectedApp; onClose: () => void }) {
  const api = useApi()
  const people = connectedBy(app)
  const revoke = useChange({
    run: () => api.send('DELETE /core/v1/organization/connected-apps/{client_id}', { client_id: app.client_id }),
    invalidates: ['GET /core/v1/organization/connected-apps'],
    done: () => `${app.name} revoked.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Revoke ${app.name}?`}
      verb="Revoke application"
      name={app.name}
      onConfirm={() => revoke.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm">This ends immediately:</Text>
      <ul>
        <li>
          every token {app.name} holds for this organization, no matter who connected it
          {people && ` (${people})`}
        </li>
        <li>its access to your users, groups, spaces and devices</li>
        <li>connecting it as a member, until an administrator approves it again</li>
      </ul>
      <Text size="sm">Spaces it synced stay and become your own. Devices stay and keep sending.</Text>
    </Confirm>
  )
}
