import { usePages } from '../api/api.tsx'
import type { UserInvitation } from '../api/organization.ts'
import { InvitationTable } from '../components/invitations.tsx'
import { Panel } from '../components/page.tsx'

/** Those who have not accepted yet; nothing at all when there are none. */
export function Invitations() {
  const list = usePages<UserInvitation>('/invitations')
  if (list.items.length === 0) return null
  return (
    <Panel title="Invited, not here yet">
      <InvitationTable
        list={list}
        more={[{ label: 'Role', cell: ({ role }) => (role === 'administrator' ? 'Administrator' : 'Member') }]}
      />
    </Panel>
  )
}
