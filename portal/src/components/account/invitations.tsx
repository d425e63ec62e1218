import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { type Pages, useApi, useChange } from '../../api/api.tsx'
import type { Invitation } from '../../api/organization.ts'
import { SecretOnce } from '../form/dialog.tsx'
import { FormDialog } from '../form/form.tsx'
import { Email } from '../page/email.tsx'
import { shortTime, When } from '../page/when.tsx'
import { type Column, DataTable } from '../table/table.tsx'

interface InvitationTableProps<One extends Invitation> {
  list: Pages<One>
  /** Columns after the email. */
  more?: Column<One>[]
  empty?: string
}

/** Pending invitations. */
export function InvitationTable<One extends Invitation>({
  list,
  more = [],
  empty = 'No pending invitations.',
}: InvitationTableProps<One>) {
  const { kind, send } = useApi()
  const [linked, setLinked] = useState<Invitation | null>(null)
  const withdraw = useChange<Invitation>({
    run: ({ id }) => send(`DELETE /core/v1/${kind}/invitations/{id}`, { id }),
    invalidates: [`GET /core/v1/${kind}/invitations`],
    done: (_result, { email }) => `Invitation for ${email} withdrawn.`,
  })
  return (
    <>
      <DataTable
        list={list}
        label="Invitations"
        unit="invitation"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Email', cell: ({ email }) => <Email address={email} /> },
          ...more,
          { label: 'Invited by', wide: true, cell: ({ made_by }) => inviterText(made_by) },
          {
            label: 'Link',
            wide: true,
            cell: ({ has_link, expires_at }) =>
              has_link ? (
                <span className="one-line">
                  Expires <When at={expires_at} />
                </span>
              ) : (
                'Not created yet'
              ),
          },
          {
            label: 'Actions',
            actions: true,
            cell: (invitation) => (
              <Group gap={6} justify="flex-end">
                <Button
                  size="compact-xs"
                  variant={invitation.has_link ? 'default' : 'filled'}
                  onClick={() => setLinked(invitation)}
                >
                  {invitation.has_link ? 'New link' : 'Get link'}
                </Button>
                <Button size="compact-xs" variant="default" onClick={() => withdraw.mutate(invitation)}>
                  Withdraw
                </Button>
              </Group>
            ),
          },
        ]}
        empty={
          <Text size="sm" p="md">
            {empty}
          </Text>
        }
      />
      {linked && <InvitationLink invitation={linked} onClose={() => setLinked(null)} />}
    </>
  )
}

function inviterText({ kind, name }: Invitation['made_by']): string {
  if (kind === 'operator') return 'Operator'
  if (kind === 'api_key') return `API key “${name}”`
  return name ?? ''
}

function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { kind, send } = useApi()
  const { email, made_by } = invitation
  const create = useChange({
    run: () => send(`POST /core/v1/${kind}/invitations/{id}/link`, { id: invitation.id }),
    invalidates: [`GET /core/v1/${kind}/invitations`],
    silent: true,
  })
  if (create.data) return <InvitationSecret invitation={create.data} link={create.data.link} onClose={onClose} />
  const byPerson = made_by.kind === 'user' || made_by.kind === 'operator'
  return (
    <FormDialog title={`Invitation link for ${email}`} verb="Create link" change={create} onClose={onClose}>
      {!byPerson && (
        <Text size="sm">
          {inviterText(made_by)} invited {email}. Check that this person belongs here before you share the link.
        </Text>
      )}
      <Text size="sm">
        Anyone with the link can join as {email}.{invitation.has_link && ' The previous link stops working.'}
      </Text>
    </FormDialog>
  )
}

export function InvitationSecret({
  invitation: { email, expires_at, mailed },
  link,
  onClose,
}: {
  invitation: Invitation & { mailed: boolean }
  link: string
  onClose: () => void
}) {
  return (
    <SecretOnce title={`Invitation for ${email}`} secret={link} kept="compared" onClose={onClose}>
      <Text size="sm">
        {mailed ? `Sent to ${email}. You can hand over the link, too.` : `Send this link to ${email}.`} Single use.
        Expires {shortTime(new Date(expires_at))}, or earlier if you lose the right to invite.
      </Text>
    </SecretOnce>
  )
}
