import { usePages } from '../api/api.tsx'
import type { Customer, Invitation, Partner } from '../api/operator.ts'
import { InvitationTable } from '../components/invitations.tsx'
import { Page } from '../components/page.tsx'

/** Of every customer and partner: here is the link of somebody who was added and has an account already. */
export function OperatorInvitations() {
  const list = usePages<Invitation>('/invitations')
  const customers = usePages<Customer>('/customers')
  const partners = usePages<Partner>('/partners')
  const names = new Map([...customers.items, ...partners.items].map(({ id, name }) => [id, name]))
  return (
    <Page
      title="Invitations"
      about="People who have not accepted yet. Somebody you add whose email has an account is invited: hand over the link, and they join after signing in."
    >
      <InvitationTable
        list={list}
        more={[
          {
            label: 'To',
            cell: ({ partner_id, customer_id }) => names.get(partner_id ?? customer_id ?? '') ?? 'Another organization',
          },
        ]}
        empty="Nobody is waiting."
      />
    </Page>
  )
}
