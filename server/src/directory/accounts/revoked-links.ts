import { type Actor, recordAudit } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { clearLinksIssuedBy, deleteLinksOfMaker, type RevokedLink } from '../store/links-sql.ts'

type InvitationEnd = 'member.invitation_ended' | 'member.invitation_link_ended'
type LinkMaker = Extract<Actor, { kind: 'user' | 'application' | 'api_key' }>

/** Who ended the maker's right, and when. */
interface Revocation {
  at: Date
  actor: Actor
}

/** Revokes the invitations and reset links that this maker created for these customers, in the transaction that ends the right. */
export async function revokeLinksForCustomers(
  sql: Sql,
  maker: LinkMaker,
  customerIds: string[],
  revocation: Revocation,
): Promise<void> {
  await revokeLinks(sql, maker, { customer_ids: customerIds }, revocation)
}

export async function revokeLinksForPartner(
  sql: Sql,
  maker: LinkMaker,
  partnerId: string,
  revocation: Revocation,
): Promise<void> {
  await revokeLinks(sql, maker, { partner_id: partnerId }, revocation)
}

async function revokeLinks(
  sql: Sql,
  maker: LinkMaker,
  owner: { customer_ids: string[] } | { partner_id: string },
  revocation: Revocation,
): Promise<void> {
  const deleted = await deleteLinksOfMaker(sql, maker, owner)
  const cleared = maker.kind === 'user' ? await clearLinksIssuedBy(sql, maker.id, owner) : []
  await record(sql, maker, revocation, [
    ...deleted.map((link) => ({
      link,
      type:
        link.purpose === 'invitation' ? ('member.invitation_ended' as const) : ('password.reset_link_ended' as const),
    })),
    ...cleared.map((link) => ({ link, type: 'member.invitation_link_ended' as const })),
  ])
}

/** Postgres accepts at most 65,535 parameters per statement. */
const slice = 1_000

async function record(
  sql: Sql,
  maker: LinkMaker,
  { at, actor }: Revocation,
  revoked: { link: RevokedLink; type: InvitationEnd | 'password.reset_link_ended' }[],
): Promise<void> {
  const events = revoked.map(({ link, type }) => ({
    at,
    actor,
    // A reset link is never a partner's.
    ...(type === 'password.reset_link_ended' ? { type } : { type, partner_id: link.partner_id ?? undefined }),
    ...(link.customer_id ? { customer_id: link.customer_id } : {}),
    details: {
      because: 'maker_lost_the_right',
      maker_kind: maker.kind,
      maker_id: maker.id,
      ...(link.purpose === 'invitation' ? { invitation_id: link.id, email: link.email } : { user_id: link.user_id }),
    },
  }))
  for (let from = 0; from < events.length; from += slice) await recordAudit(sql, ...events.slice(from, from + slice))
}
