import { Alert, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { PartnerDomain } from '../api/partner.ts'
import { Confirm } from '../components/form/dialog.tsx'
import { Form } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Fact, Loaded, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

/** Customers see it beside the partner's name; who approves an application can check it. */
export function Domain() {
  const domain = useRead('GET /core/v1/partner/domain')
  const [replacing, setReplacing] = useState(false)
  return (
    <Panel title="Verified domain" actions={domain.data?.domain && <DomainState domain={domain.data} />}>
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        {domain.data?.verified_at
          ? 'Customers see your domain at consent and among connected apps.'
          : 'Customers see your domain at consent and among connected apps once you have proven that it is yours. Until then they see “Domain not verified”.'}
      </Text>
      <Loaded of={domain}>
        {(data) =>
          data.domain === null || replacing ? (
            <EnterDomain current={data.domain} onDone={() => setReplacing(false)} />
          ) : (
            <Entered domain={data} onReplace={() => setReplacing(true)} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function DomainState({ domain: { verified_at } }: { domain: PartnerDomain }) {
  return <Badge color={verified_at ? 'green' : 'gray'}>{verified_at ? 'Verified' : 'Not verified'}</Badge>
}

function EnterDomain({ current, onDone }: { current: string | null; onDone: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { domain: '' } })
  const enter = useChange({
    run: () => api.send('PUT /core/v1/partner/domain', { body: form.values }),
    invalidates: ['GET /core/v1/partner/domain'],
    done: onDone,
    silent: true,
  })
  return (
    <Stack gap="xs" maw={480}>
      <Form form={form} verb="Continue" change={enter}>
        <TextInput
          label="Domain"
          description={
            current === null
              ? 'Without https://, www or a path. You add a DNS record in the next step.'
              : `It takes the place of ${current}, which is then no longer verified.`
          }
          placeholder="acme.com"
          autoComplete="off"
          spellCheck={false}
          required
          {...form.getInputProps('domain')}
        />
      </Form>
      {current !== null && (
        <Button variant="subtle" color="gray" onClick={onDone} style={{ alignSelf: 'flex-start' }}>
          Cancel
        </Button>
      )}
    </Stack>
  )
}

function Entered({ domain, onReplace }: { domain: PartnerDomain; onReplace: () => void }) {
  const api = useApi()
  const [removing, setRemoving] = useState(false)
  const check = useChange<void, PartnerDomain>({
    run: () => api.send('POST /core/v1/partner/domain/check'),
    invalidates: ['GET /core/v1/partner/domain'],
    done: ({ result }) => (result === 'found' ? `${domain.domain} is verified.` : undefined),
  })
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/partner/domain'),
    invalidates: ['GET /core/v1/partner/domain'],
    done: () => 'Domain removed.',
    silent: true,
  })
  const isProven = domain.verified_at !== null && domain.result === 'found'
  return (
    <Stack gap="sm">
      <Group gap="xl" className="facts">
        <Fact label="Domain">
          <strong style={{ overflowWrap: 'anywhere' }}>{domain.domain}</strong>
        </Fact>
        {domain.verified_at && (
          <Fact label="Verified">
            <When at={domain.verified_at} />
          </Fact>
        )}
        <Fact label="Last check">
          <When at={domain.checked_at} />
        </Fact>
      </Group>
      <Finding domain={domain} />
      {!isProven && (
        <Text size="sm">Add this TXT record where the DNS of {domain.domain} is managed, then check it:</Text>
      )}
      <Fact label="Name of the TXT record">
        <Copied value={domain.record_name ?? ''} wrap label="Copy name" />
      </Fact>
      <Fact label="Value">
        <Copied value={domain.record_value ?? ''} wrap label="Copy value" />
      </Fact>
      <Text size="xs" c="dimmed" maw={720}>
        Keep the record: it is looked for every day. The domain stays verified until the record was missing for seven
        days.
      </Text>
      <Group gap="xs">
        <Button variant={isProven ? 'default' : 'filled'} onClick={() => check.mutate()} loading={check.isPending}>
          Check now
        </Button>
        <Button variant="default" onClick={onReplace}>
          Use another domain
        </Button>
        <Button variant="subtle" color="gray" onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </Group>
      {removing && (
        <Confirm
          title={`Remove ${domain.domain}?`}
          verb="Remove domain"
          onConfirm={() => remove.mutateAsync()}
          onClose={() => setRemoving(false)}
        >
          <Text size="sm">Customers will see “Domain not verified” beside your name.</Text>
        </Confirm>
      )}
    </Stack>
  )
}

/** What the last check means; nothing while all is well. */
function Finding({ domain: { result, verified_at, ends_at } }: { domain: PartnerDomain }) {
  if (result === null || result === 'found') return null
  return (
    <Alert color={verified_at ? 'red' : 'yellow'} p="xs" icon={<Icon name="alert" />} role="status">
      {result === 'missing'
        ? 'The record was not found at the last check. A new record can take up to an hour to be visible everywhere.'
        : 'DNS gave no answer at the last check, so nothing is known about the record.'}
      {verified_at && ends_at && (
        <>
          {' '}
          The verification ends <When at={ends_at} /> unless the record is found before.
        </>
      )}
    </Alert>
  )
}
