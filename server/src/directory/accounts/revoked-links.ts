import { type Actor, recordAudit } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { clearLinksIssuedBy, deleteLinksOfMaker, type EndedLink } from '../store/links.ts'

type LinkMaker = Extract<Actor, { kind: 'user' | 'application' | 'api_key' }>

/** Who or what ended the maker's right, and when. */
interface Ending {
  at: Date
  actor: Actor
}

/** Ends the invitations and reset links that this maker made for these customers, in the transaction that ends the right. */
export async function endLinksForCustomers(
  sql: Sql,
  maker: LinkMaker,
  customerIds: string[],
  ending: Ending,
): Promise<void> {
  await endLinks(sql, maker, { customer_ids: customerIds }, ending)
}

export async function endLinksForPartner(sql: Sql, maker: LinkMaker, partnerId: string, ending: Ending): Promise<void> {
  await endLinks(sql, maker, { partner_id: partnerId }, ending)
}

async function endLinks(
  sql: Sql,
  maker: LinkMaker,
  place: { customer_ids: string[] } | { partner_id: string },
  ending: Ending,
): Promise<void> {
  const ended = await deleteLinksOfMaker(sql, maker, place)
  const cleared = maker.kind === 'user' ? await clearLinksIssuedBy(sql, maker.id, place) : []
  await record(sql, maker, ending, [
    ...ended.map((link) => ({
      link,
      type: link.purpose === 'invitation' ? 'member.invitation_ended' : 'password.reset_link_ended',
    })),
    ...cleared.map((link) => ({ link, type: 'member.invitation_link_ended' })),
  ])
}

/** Postgres takes at most 65,535 parameters in one insert. */
const slice = 1_000

async function record(
  sql: Sql,
  maker: LinkMaker,
  { at, actor }: Ending,
  endings: { link: EndedLink; type: string }[],
): Promise<void> {
  const events = endings.map(({ link, type }) => ({
    type,
    at,
    actor,
    ...(link.partner_id ? { partner_id: link.partner_id } : {}),
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
