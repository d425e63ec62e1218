import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useChange } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import { PartnerDomain } from '../components/application/partner-domain.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { When } from '../components/page/when.tsx'

interface RequestCardProps {
  label: string
  title: ReactNode
  /** What it is, before the partner's domain. */
  kind: ReactNode
  domain: string | null
  at: string
  approve: { mutate: () => void; isPending: boolean }
  /** False until all that is approved is on the page. */
  isShown: boolean
  onRefuse: () => void
  children: ReactNode
}

/** A partner's request, with what the operator decides. */
export function RequestCard(props: RequestCardProps) {
  const { label, title, kind, domain, at, approve, isShown, onRefuse, children } = props
  return (
    <Paper withBorder p="md" component="article" aria-label={label}>
      <Group justify="space-between" align="flex-start" mb="sm">
        <div style={{ minWidth: 0, flex: '1 1 260px' }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          <Text size="sm" c="dimmed" component="div">
            {kind}
            {' · '}
            <PartnerDomain domain={domain} />
            {' · '}
            <When at={at} />
          </Text>
        </div>
        <Group gap="xs">
          <Button onClick={() => approve.mutate()} loading={approve.isPending} disabled={!isShown}>
            Approve
          </Button>
          <Button variant="default" onClick={onRefuse}>
            Refuse
          </Button>
        </Group>
      </Group>
      {children}
    </Paper>
  )
}

interface RefuseProps {
  title: string
  consequence: string
  placeholder: string
  send: (reason: string) => Promise<unknown>
  invalidates: Reload[]
  onClose: () => void
}

export function Refuse({ title, consequence, placeholder, send, invalidates, onClose }: RefuseProps) {
  const form = useForm({ initialValues: { reason: '' } })
  const refuse = useChange({
    run: () => send(form.values.reason),
    invalidates,
    done: () => {
      onClose()
      return 'Refused. The partner sees your reason.'
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title={title} verb="Refuse" change={refuse} onClose={onClose}>
      <Stack gap="xs">
        <Text size="sm">{consequence}</Text>
        <TextInput
          label="Reason"
          description="Shown to the partner"
          placeholder={placeholder}
          maxLength={300}
          required
          {...form.getInputProps('reason')}
        />
      </Stack>
    </FormDialog>
  )
}
