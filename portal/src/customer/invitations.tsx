import { Button, Text } from '@mantine/core'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Invitation } from '../api/organization.ts'
import { ListTable } from '../parts/list-table.tsx'
import { Panel } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

/** Those who have not accepted yet; nothing at all when there are none. */
export function Invitations() {
  const api = useApi()
  const list = usePages<Invitation>('/invitations')
  const withdraw = useChange<Invitation>({
    run: ({ id }) => api.remove(`/invitations/${id}`),
    touches: ['/invitations'],
    done: (_answer, { email }) => `The link sent to ${email} no longer works.`,
  })
  if (list.items.length === 0) return null
  return (
    <Panel title="Invited, not here yet">
      <ListTable
        list={list}
        label="Invitations"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Email', cell: ({ email }) => email },
          { label: 'Role', cell: ({ role }) => (role === 'administrator' ? 'Administrator' : 'Member') },
          { label: 'Link ends', wide: true, cell: ({ expires_at }) => <When at={expires_at} /> },
          {
            label: 'Actions',
            acts: true,
            cell: (invitation) => (
              <Button size="compact-xs" variant="default" onClick={() => withdraw.mutate(invitation)}>
                Withdraw
              </Button>
            ),
          },
        ]}
        empty={<Text size="sm">None.</Text>}
      />
    </Panel>
  )
}
