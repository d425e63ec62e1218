import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { type Pages, useApi, useChange } from '../api/api.tsx'
import type { Invitation, InvitationLink as NewLink } from '../api/organization.ts'
import { FormDialog } from './form.tsx'
import { type Column, ListTable } from './list-table.tsx'
import { SecretOnce } from './secret-once.tsx'
import { When } from './when.tsx'

interface InvitationTableProps<One extends Invitation> {
  list: Pages<One>
  /** Columns between the email and who invited. */
  more?: Column<One>[]
  empty?: string
}

/** Invitations not accepted yet: their links are made anew and handed over here, or they are withdrawn. */
export function InvitationTable<One extends Invitation>({
  list,
  more = [],
  empty = 'None.',
}: InvitationTableProps<One>) {
  const api = useApi()
  const [linked, setLinked] = useState<Invitation | null>(null)
  const withdraw = useChange<Invitation>({
    run: ({ id }) => api.remove(`/invitations/${id}`),
    touches: ['/invitations'],
    done: (_answer, { email }) => `The invitation of ${email} was withdrawn.`,
  })
  return (
    <>
      <ListTable
        list={list}
        label="Invitations"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Email', cell: ({ email }) => email },
          ...more,
          { label: 'Invited by', wide: true, cell: ({ made_by }) => makerText(made_by) },
          {
            label: 'Link',
            wide: true,
            cell: ({ has_link, expires_at }) =>
              has_link ? (
                <>
                  Ends <When at={expires_at} />
                </>
              ) : (
                'Not made yet'
              ),
          },
          {
            label: 'Actions',
            acts: true,
            cell: (invitation) => (
              <Group gap={6} wrap="nowrap" justify="flex-end">
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
        empty={<Text size="sm">{empty}</Text>}
      />
      {linked && <InvitationLink invitation={linked} onClose={() => setLinked(null)} />}
    </>
  )
}

function makerText({ kind, name }: Invitation['made_by']): string {
  if (kind === 'operator') return 'The operator'
  if (kind === 'api_key') return `API key “${name}”`
  return name ?? ''
}

function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const api = useApi()
  const { email, made_by } = invitation
  const make = useChange({
    run: () => api.post<NewLink>(`/invitations/${invitation.id}/link`),
    touches: ['/invitations'],
    quiet: true,
  })
  if (make.data) return <HandOver invitation={make.data} link={make.data.link} onClose={onClose} />
  const byPerson = made_by.kind === 'user' || made_by.kind === 'operator'
  return (
    <FormDialog title={`A link for ${email}?`} verb="Make the link" change={make} onClose={onClose}>
      {!byPerson && (
        <Text size="sm">
          {makerText(made_by)} invited {email}. Make sure that this person belongs here before you hand over the link.
        </Text>
      )}
      <Text size="sm">
        Whoever opens the link can join as {email}.{invitation.has_link && ' The link made before no longer works.'}
      </Text>
    </FormDialog>
  )
}

/** The link of an invitation, shown once. */
export function HandOver({
  invitation: { email, expires_at },
  link,
  onClose,
}: {
  invitation: Invitation
  link: string
  onClose: () => void
}) {
  return (
    <SecretOnce title={`Invitation for ${email}`} secret={link} onClose={onClose}>
      <Text size="sm">
        Send this link to {email}. It works once, until <When at={expires_at} />. They join when they accept it. It ends
        earlier if you lose the right to invite.
      </Text>
    </SecretOnce>
  )
}
