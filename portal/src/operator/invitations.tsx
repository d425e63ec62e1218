import { useAll, usePages } from '../api/api.tsx'
import { InvitationTable } from '../components/account/invitations.tsx'
import { Page } from '../components/page/page.tsx'

export function OperatorInvitations() {
  const list = usePages('GET /core/v1/operator/invitations')
  const customers = useAll('GET /core/v1/operator/customers')
  const partners = useAll('GET /core/v1/operator/partners')
  const names = new Map([...customers.items, ...partners.items].map(({ id, name }) => [id, name]))
  return (
    <Page
      title="Invitations"
      about="Pending invitations. If you add a person whose email already has an account, send them the link: they join after signing in."
    >
      <InvitationTable
        list={list}
        more={[
          {
            label: 'To',
            cell: ({ partner_id, customer_id }) => names.get(partner_id ?? customer_id ?? '') ?? 'Another organization',
          },
        ]}
      />
    </Page>
  )
}
