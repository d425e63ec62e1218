import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Member } from '../api/partner.ts'
import { useSession } from '../api/session.tsx'
import { InvitationSecret, InvitationTable } from '../components/account/invitations.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Email } from '../components/page/email.tsx'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { ListPage } from '../components/table/list-page.tsx'

export function People() {
  const { data: session } = useSession()
  const [removing, setRemoving] = useState<Member | null>(null)
  const members = usePages('GET /core/v1/partner/members')
  const isYou = ({ id }: Member) => id === session?.user.id
  const isLast = members.items.length === 1 && !members.hasNextPage
  return (
    <ListPage
      title="People"
      about="Everyone here can see and change everything in this partner portal. Customers’ people are never listed here."
      list={members}
      unit="member"
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Name',
          cell: (member) => (
            <>
              <Group gap={6}>
                <Text size="sm" fw={500}>
                  {member.name}
                </Text>
                {isYou(member) && <Badge size="xs">You</Badge>}
              </Group>
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                <Email address={member.email} />
              </Text>
              {isLast && (
                <Text size="xs" c="dimmed" mt={4}>
                  Last member: invite someone before you leave
                </Text>
              )}
            </>
          ),
        },
        { label: 'Joined', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Actions',
          actions: true,
          cell: (member) =>
            !isLast && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={isYou(member) ? 'Leave' : `Remove ${member.name}`}
                onClick={() => setRemoving(member)}
              >
                {isYou(member) ? 'Leave' : 'Remove'}
              </Button>
            ),
        },
      ]}
      create={{ verb: 'Invite person', Dialog: InvitePerson }}
      empty={{ icon: 'people', title: 'No people yet', hint: 'Invite the colleagues who work on this integration.' }}
    >
      <PendingInvitations />
      {removing && <RemoveMember member={removing} you={isYou(removing)} onClose={() => setRemoving(null)} />}
    </ListPage>
  )
}

function InvitePerson({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { email: '', name: '' } })
  const invite = useChange({
    run: () => {
      const { email, name } = form.values
      return api.send('POST /core/v1/partner/invitations', {
        body: { email, ...(name.trim() ? { name: name.trim() } : {}) },
      })
    },
    invalidates: ['GET /core/v1/partner/invitations', 'GET /core/v1/partner/members'],
    silent: true,
  })
  if (invite.data) return <InvitationSecret invitation={invite.data} link={invite.data.link} onClose={onClose} />
  return (
    <FormDialog form={form} title="Invite person" verb="Create invitation link" change={invite} onClose={onClose}>
      <TextInput label="Email" type="email" {...form.getInputProps('email')} required data-autofocus />
      <TextInput label="Name" description="Optional; they can enter it themselves" {...form.getInputProps('name')} />
    </FormDialog>
  )
}

function PendingInvitations() {
  const list = usePages('GET /core/v1/partner/invitations')
  if (list.items.length === 0) return null
  return (
    <Panel title="Pending invitations">
      <InvitationTable list={list} />
    </Panel>
  )
}

function RemoveMember({ member, you, onClose }: { member: Member; you: boolean; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/partner/members/{id}', { id: member.id }),
    invalidates: ['GET /core/v1/partner/members', 'GET /core/v1/partner/invitations'],
    givesUpAccess: () => you,
    done: () => (you ? 'You left this partner.' : `${member.name} removed.`),
    silent: true,
  })
  return (
    <Confirm
      title={you ? 'Leave this partner?' : `Remove ${member.name}?`}
      verb={you ? 'Leave' : 'Remove'}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      {you
        ? 'You lose access to this partner portal, starting now. You cannot undo this yourself: only another member can invite you again.'
        : `${member.name} loses access to this partner portal, starting now. Their account and other memberships stay.`}{' '}
      Invitation links {you ? 'you' : 'they'} created stop working. API keys stay valid: revoke those that{' '}
      {you ? 'you' : 'they'} know.
    </Confirm>
  )
}
