import { Badge, Button, FileButton, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { notifyError } from '../api/notify.tsx'
import type { Application, ApplicationRequest, Logo } from '../api/partner.ts'
import { ApplicationFields, typedAddresses } from '../components/application/application-fields.tsx'
import { AskedFields } from '../components/application/asked-fields.tsx'
import { AskedList } from '../components/application/asked-list.tsx'
import { askedToSend, askedValues } from '../components/application/asked-permissions.ts'
import { FormDialog } from '../components/form/form.tsx'
import { logoTypes, readLogoFile } from '../components/form/logo-file.ts'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

const path = 'GET /core/v1/partner/application-requests'

/** New applications that wait for the operator, or were refused. */
export function ApplicationRequests() {
  const requests = usePages(path, {}, { every: 15_000 })
  const [changing, setChanging] = useState<ApplicationRequest | null>(null)
  if (requests.items.length === 0) return null
  return (
    <Panel title="Requested applications">
      <Stack gap="sm">
        {requests.items.map((request) => (
          <Request key={request.id} request={request} onChange={() => setChanging(request)} />
        ))}
      </Stack>
      {changing && <AskForApplication request={changing} onClose={() => setChanging(null)} />}
    </Panel>
  )
}

function Request({ request, onChange }: { request: ApplicationRequest; onChange: () => void }) {
  const api = useApi()
  const { id, name, refused_at, reason, requested_at, requested_permissions, redirect_uris } = request
  const withdraw = useChange({
    run: () => api.send('DELETE /core/v1/partner/application-requests/{id}', { id }),
    invalidates: [path],
    done: () => (refused_at ? 'Dismissed.' : 'Withdrawn.'),
  })
  return (
    <Paper withBorder p="sm" component="article" aria-label={`Request for ${name}`}>
      <Group justify="space-between" align="flex-start">
        <div style={{ minWidth: 0, flex: '1 1 260px', overflowWrap: 'anywhere' }}>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            <Badge color={refused_at ? 'red' : 'yellow'}>{refused_at ? 'Refused' : 'Waits for the operator'}</Badge>
          </Group>
          <Text size="xs" c="dimmed" mt={2}>
            {refused_at ? 'Refused ' : 'Requested '}
            <When at={refused_at ?? requested_at} size="xs" />
            {` · ${redirect_uris.length} redirect ${redirect_uris.length === 1 ? 'URI' : 'URIs'}`}
          </Text>
          {reason && (
            <Text size="sm" mt={6}>
              The operator: “{reason}”
            </Text>
          )}
          <Text size="sm" component="div" mt={6}>
            <AskedList asked={requested_permissions} />
          </Text>
        </div>
        <Group gap="xs">
          <Button size="xs" variant={refused_at ? 'filled' : 'default'} onClick={onChange}>
            {refused_at ? 'Change and ask again' : 'Change'}
          </Button>
          <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {refused_at ? 'Dismiss' : 'Withdraw'}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

/** A new request, or one that exists and is changed. */
export function AskForApplication({ request, onClose }: { request?: ApplicationRequest; onClose: () => void }) {
  const api = useApi()
  const [logo, setLogo] = useState<{ name: string; logo: Logo } | null>(null)
  const form = useForm({
    initialValues: {
      name: request?.name ?? '',
      home_page: request?.home_page ?? '',
      redirect_uris: request?.redirect_uris.join('\n') ?? '',
      id_token_alg: (request?.id_token_alg ?? 'RS256') as Application['id_token_alg'],
      requested_permissions: askedValues(request?.requested_permissions ?? null),
    },
  })
  const send = useChange<void, ApplicationRequest>({
    run: () => {
      const { home_page, redirect_uris, requested_permissions, ...rest } = form.values
      const body = {
        ...rest,
        home_page: home_page.trim() || null,
        redirect_uris: typedAddresses(redirect_uris),
        requested_permissions: askedToSend(requested_permissions),
        ...(logo ? { logo: logo.logo } : {}),
      }
      return request
        ? api.send('PATCH /core/v1/partner/application-requests/{id}', { id: request.id, body })
        : api.send('POST /core/v1/partner/application-requests', { body })
    },
    invalidates: [path],
    done: () => {
      onClose()
      return 'Sent to the operator for approval.'
    },
    silent: true,
  })
  const choose = async (file: File | null) => {
    if (file) await readLogoFile(file).then((read) => setLogo({ name: file.name, logo: read }), notifyError)
  }
  const logoText = logo?.name ?? (request?.has_logo ? 'The logo stays as it is' : 'Square, up to 128 KiB. Optional.')
  return (
    <FormDialog
      form={form}
      title={request ? `Change the request for ${request.name}` : 'Ask for a new application'}
      verb={request?.refused_at ? 'Ask again' : request ? 'Save' : 'Ask the operator'}
      change={send}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        The operator registers it and sends you its secret.
      </Text>
      <ApplicationFields form={form}>
        <TextInput
          label="Home page"
          description="https address, shown beside the name"
          placeholder="https://app.example.com"
          {...form.getInputProps('home_page')}
        />
        <Group gap="sm">
          <FileButton onChange={(file) => void choose(file)} accept={logoTypes}>
            {(props) => (
              <Button {...props} variant="default">
                {logo || request?.has_logo ? 'Change logo' : 'Add a logo'}
              </Button>
            )}
          </FileButton>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {logoText}
          </Text>
        </Group>
        <AskedFields form={form} />
      </ApplicationFields>
    </FormDialog>
  )
}
