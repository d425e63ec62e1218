import { Alert, Avatar, Badge, Button, Checkbox, Group, Paper, Radio, Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, useEtag, usePages } from '../api/api.tsx'
import type { ConnectedApp } from '../api/organization.ts'
import { Confirm } from '../components/confirm.tsx'
import { Fact } from '../components/fact.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Listed, More } from '../components/listed.tsx'
import { Empty, Page } from '../components/page.tsx'
import { When } from '../components/when.tsx'
import { useGroupChoices } from './group-choices.ts'

/** By approval, not by token: an app stays listed when its access token lapses. */
export function ConnectedApps() {
  const list = usePages<ConnectedApp>('/connected-apps')
  const [act, setAct] = useState<{ kind: 'narrow' | 'revoke'; app: ConnectedApp } | null>(null)
  return (
    <Page
      title="Connected apps"
      about="Applications of partners that an administrator approved. Each can do everything an administrator of this organization can see and change."
    >
      <Listed
        list={list}
        empty={
          <Paper withBorder>
            <Empty icon="plug" title="No application is connected">
              Connect one from the application itself: it sends you to a page here that asks for your approval, and then
              it appears in this list.
            </Empty>
          </Paper>
        }
      >
        {(apps) =>
          apps.map((app) => (
            <AppCard
              key={app.client_id}
              app={app}
              onNarrow={() => setAct({ kind: 'narrow', app })}
              onRevoke={() => setAct({ kind: 'revoke', app })}
            />
          ))
        }
      </Listed>
      <More list={list}>Show more</More>
      {act?.kind === 'narrow' && <NarrowApp app={act.app} onClose={() => setAct(null)} />}
      {act?.kind === 'revoke' && <RevokeApp app={act.app} onClose={() => setAct(null)} />}
    </Page>
  )
}

function policyText(policy: ConnectedApp['policy']): string {
  if (policy.kind === 'everyone') return 'Everyone in this organization'
  if (policy.kind === 'administrators') return 'Administrators only'
  return `Administrators and the group ${policy.group_name ?? ''}`
}

const namesShown = 5

/** Null when nobody did. */
function connectedBy({ users, user_count }: ConnectedApp): string | null {
  if (user_count === 0) return null
  const names = users.slice(0, namesShown).map(({ name }) => name)
  const others = user_count - names.length
  return others === 0 ? names.join(', ') : `${names.join(', ')} and ${others.toLocaleString('en')} more`
}

interface AppCardProps {
  app: ConnectedApp
  onNarrow: () => void
  onRevoke: () => void
}

function AppState({ app }: { app: ConnectedApp }) {
  if (!app.enabled) return <Badge color="red">Disabled by the operator</Badge>
  if (app.connected_at) return <Badge color="green">Connected</Badge>
  return <Badge color="gray">Approved, not connected now</Badge>
}

function AppCard({ app, onNarrow, onRevoke }: AppCardProps) {
  return (
    <Paper withBorder p="md" component="article" aria-label={app.name}>
      <Group justify="space-between" align="flex-start">
        <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
          <Avatar radius="md" color="brand" aria-hidden="true">
            {app.name.charAt(0).toUpperCase()}
          </Avatar>
          <div style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Title order={2}>{app.name}</Title>
              <AppState app={app} />
            </Group>
            <Text size="sm" c="dimmed">
              by {app.partner_name}
            </Text>
          </div>
        </Group>
        <Group gap="xs">
          <Button variant="default" onClick={onNarrow}>
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
        <Fact label="Who may sign in">{policyText(app.policy)}</Fact>
        <Fact label="Connected by">{connectedBy(app) ?? 'nobody right now'}</Fact>
      </Group>
    </Paper>
  )
}

function NarrowApp({ app, onClose }: { app: ConnectedApp; onClose: () => void }) {
  const api = useApi()
  const groups = useGroupChoices()
  const path = `/connected-apps/${app.client_id}`
  const etag = useEtag(path)
  const [form, fieldsOf, setForm] = useFields({
    kind: app.policy.kind as string,
    group_id: app.policy.group_id,
    ending: false,
  })
  const { kind, group_id, ending } = form
  const save = useChange({
    run: () =>
      api.patch(
        path,
        {
          policy: kind === 'group' ? { kind, group_id } : { kind },
          ...(ending ? { revoke_tokens: true } : {}),
        },
        etag,
      ),
    touches: ['/connected-apps'],
    done: () => {
      onClose()
      return `New connections of ${app.name} follow the new policy from now on.`
    },
    quiet: true,
  })
  const field = fieldsOf(save.error)
  return (
    <FormDialog
      title={`Who may sign in to ${app.name}`}
      verb="Save"
      change={save}
      ready={kind !== 'group' || group_id !== null}
      onClose={onClose}
    >
      <Radio.Group label="New connections may be made by" {...field('kind')}>
        <Stack gap={8} mt="xs">
          <Radio value="everyone" label="Everyone in this organization" />
          <Radio value="administrators" label="Administrators only" />
          <Radio
            value="group"
            label="One group"
            disabled={groups.length === 0}
            description={groups.length === 0 ? 'Make a group first, under Groups' : undefined}
          />
        </Stack>
      </Radio.Group>
      {kind === 'group' && (
        <Select label="Group" data={groups} {...field('group_id', 'policy.group_id')} searchable required />
      )}
      {app.connected_at && (
        <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
          <Text size="sm" mb="xs">
            This takes effect for new connections at once. Tokens already issued stay good, whoever made the connection,
            unless you end them now.
          </Text>
          <Checkbox
            label="Also end every token already issued"
            description="The approval stays: whoever is still admitted connects anew"
            checked={ending}
            onChange={(event) => setForm({ ...form, ending: event.currentTarget.checked })}
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
    run: () => api.remove(`/connected-apps/${app.client_id}`),
    touches: ['/connected-apps'],
    done: () => `${app.name} is revoked: its next request is refused.`,
    quiet: true,
  })
  return (
    <Confirm
      title={`Revoke ${app.name}?`}
      verb="Revoke application"
      name={app.name}
      onConfirm={() => revoke.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm">What stops working, at once:</Text>
      <ul>
        <li>
          every token {app.name} holds for this organization, whoever connected it
          {people && ` (${people})`}
        </li>
        <li>its reading and changing of your users, groups, spaces and devices</li>
        <li>connecting it as a member: an administrator has to approve it again</li>
      </ul>
      <Text size="sm">Spaces it kept in step stay, and become your own. Devices stay and keep sending.</Text>
    </Confirm>
  )
}
