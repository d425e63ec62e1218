import type { Actor } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { findKeyCreator, holdApiKey } from '../store/api-keys-sql.ts'
import type { InvitationTarget, StoredMaker } from '../store/links-sql.ts'
import { findAdministered, type Role } from '../store/memberships.ts'
import { findPartnerMember } from '../store/partner-members-sql.ts'
import { haveRoles } from '../store/roles-sql.ts'

/** Who may invite people to a customer or partner and change their memberships. */
export type PeopleActor = Extract<Actor, { kind: StoredMaker['maker_kind'] }>

/** What the actor may do to the people of a customer or partner. */
export interface PeopleRights {
  actor: PeopleActor
  /** Null for people and the operator; a token or an API key is limited (decision 6.10). */
  limits: {
    /** The person who approved the application or created the API key, whom it must not change. */
    approvedBy(sql: Sql): Promise<string | null>
    /** False when the credential was revoked since the request was authenticated; else it stays valid until the transaction ends. */
    hold(sql: Sql): Promise<boolean>
  } | null
}

export function fullRights(actor: PeopleActor): PeopleRights {
  return { actor, limits: null }
}

export function apiKeyLimits(keyId: string): PeopleRights['limits'] {
  return { approvedBy: (sql) => findKeyCreator(sql, keyId), hold: (sql) => holdApiKey(sql, keyId) }
}

/** Checks the right again inside the transaction, once the customer or partner is locked, in case it ended since authentication. */
export async function requireRight(sql: Sql, { actor, limits }: PeopleRights, target: InvitationTarget): Promise<void> {
  if (limits) {
    if (!(await limits.hold(sql))) throw notAuthorized('the token or API key was revoked meanwhile')
    return
  }
  if (actor.kind !== 'user') return
  if ('partner_id' in target) {
    if (await findPartnerMember(sql, target.partner_id, actor.id)) return
    throw partnerMembersOnly()
  }
  if ((await findAdministered(sql, actor.id, target.customer_id)).length > 0) return
  throw administratorsOnly()
}

/** The same whether the customer is unknown, the person does not belong to it, or is only a member. */
export function administratorsOnly(): Refusal {
  return new Refusal(403, 'administrators_only', 'Only an active administrator of this customer can do this.')
}

/** The same whether the partner is unknown or the person does not belong to it. */
export function partnerMembersOnly(): Refusal {
  return new Refusal(403, 'partner_members_only', 'Only a member of this partner can do this.')
}

/** A token or API key must not create an administrator who outlives its revocation, so it cannot touch that role. */
export function requireMayGrant({ limits }: PeopleRights, role: Role | null | undefined): void {
  if (limits && role === 'administrator') {
    throw administratorsProtected('A token or an API key cannot grant or change the administrator role.')
  }
}

/** Nor a member who goes on seeing devices after that. */
export function requireMayShowDevices({ limits }: PeopleRights, canView: boolean | undefined): void {
  if (limits && canView) throw administratorsProtected('A token or an API key cannot let a member view devices.')
}

/** Nor by a group whose members have roles. */
export async function requireMayJoin(sql: Sql, { limits }: PeopleRights, groupIds: readonly string[]): Promise<void> {
  if (limits && (await haveRoles(sql, groupIds)))
    throw administratorsProtected('A token or an API key cannot add a person to a group that has roles in spaces.')
}

/** For a change of a person's role, active state or membership. */
export async function requireMayChange(
  sql: Sql,
  rights: PeopleRights,
  person: { id: string; role: Role },
): Promise<void> {
  requireMayGrant(rights, person.role)
  await requireNotApprover(sql, rights, person.id)
}

export async function requireNotApprover(sql: Sql, { limits }: PeopleRights, userId: string): Promise<void> {
  if (limits && (await limits.approvedBy(sql)) === userId) {
    throw administratorsProtected('A token or an API key cannot change the person who approved it.')
  }
}

function administratorsProtected(rule: string): Refusal {
  const sentence = `${rule} An administrator signed in to the customer portal can.`
  return new Refusal(403, 'administrators_protected', sentence)
}

/** The columns that record who created a link. */
export function makerOf(actor: PeopleActor): StoredMaker {
  return { maker_kind: actor.kind, maker_id: 'id' in actor ? actor.id : null }
}
