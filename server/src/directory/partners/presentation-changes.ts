import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { permissionsOf, type RequestedPermissions } from '../permissions.ts'
import * as store from '../store/presentation-changes-sql.ts'
import type { SentLogo, StoredLogo } from './logo.ts'
import { requireOwnName } from './public-names.ts'

export type { Subject } from '../store/presentation-changes-sql.ts'

/** What people see at consent and that waits for the operator when a partner changes it (decision 6.46). */
export interface Look {
  name?: string | undefined
  home_page?: string | null | undefined
  logo?: StoredLogo | null | undefined
  /** As `withoutNone` makes it. */
  requested_permissions?: RequestedPermissions | null | undefined
}

const lookFields = ['name', 'home_page', 'logo', 'requested_permissions'] as const

export type LookField = (typeof lookFields)[number]

/** As its partner sees it. */
export interface RequestedChange {
  id: string
  revision: number
  fields: LookField[]
  name: string | null
  home_page: string | null
  requested_permissions: RequestedPermissions | null
  requested_at: Date
  refused_at: Date | null
  reason: string | null
}

export function toRequestedChange(row: store.PresentationChange): RequestedChange {
  const { id, revision, change, requested_at, refused_at, reason } = row
  const { name = null, home_page = null, requested_permissions = null } = change
  const wanted = { name, home_page, requested_permissions }
  return { id, revision, fields: fieldsOf(change), ...wanted, requested_at, refused_at, reason }
}

function fieldsOf(change: store.WantedLook): LookField[] {
  return Object.keys(change) as LookField[]
}

export async function requestedChangeOf(sql: Sql, subject: store.Subject): Promise<RequestedChange | null> {
  const row = await store.findChangeOf(sql, subject)
  return row ? toRequestedChange(row) : null
}

export interface InForce {
  name: string
  home_page: string | null
  /** Null while there is no logo; undefined where it has no version. */
  logo_version: string | null | undefined
  /** Null also where it asks for nothing, as a partner. */
  requested_permissions: RequestedPermissions | null
}

/**
 * Adds to what the partner asked before and what still waits; a field that is asked to stay as it is no longer waits.
 * Call it with the subject locked.
 */
export async function requestChange(
  sql: Sql,
  { at, actor, subject }: { at: Date; actor: Actor; subject: store.Subject },
  inForce: InForce,
  look: Look,
): Promise<void> {
  const before = await store.findChangeOf(sql, subject)
  const asked = before && !before.refused_at ? before.change : {}
  const change = withoutUnchanged({ ...asked, ...toWanted(look) }, inForce)
  if (look.name !== undefined && change.name !== undefined) {
    await requireOwnName(sql, { actor, name: look.name, partnerId: subject.partner_id })
  }
  if (Object.keys(change).length === 0) {
    if (before) await withdraw(sql, { at, actor }, before)
    return
  }
  // The same again: whoever looks at it now may still approve it.
  if (before && !before.refused_at && isDeepStrictEqual(change, asked)) return
  // Undefined keeps the one that was asked for before.
  const logo = change.logo ? look.logo?.logo : null
  const request = { change, requested_by: actor, requested_at: at, refused_at: null, reason: null }
  await store.saveChange(sql, { id: newId(), ...subject, ...request }, logo)
  await recordAudit(sql, { type: 'presentation_change.requested', at, actor, ...aboutOf(subject, change) })
}

function toWanted({ logo, ...texts }: Look): store.WantedLook {
  const wanted = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
  if (logo === undefined) return wanted
  return { ...wanted, logo: logo && { type: logo.logo_type, version: logo.logo_version } }
}

function withoutUnchanged(
  { name, home_page, logo, requested_permissions: asked }: store.WantedLook,
  inForce: InForce,
): store.WantedLook {
  const sameLogo = logo === null ? inForce.logo_version === null : logo?.version === inForce.logo_version
  return {
    ...(name === undefined || name === inForce.name ? {} : { name }),
    ...(home_page === undefined || home_page === inForce.home_page ? {} : { home_page }),
    ...(logo === undefined || sameLogo ? {} : { logo }),
    ...(asked === undefined || isDeepStrictEqual(asked, inForce.requested_permissions)
      ? {}
      : { requested_permissions: asked }),
  }
}

/** Of an audit event. */
export function aboutOf({ partner_id, client_id }: store.Subject, change: store.WantedLook) {
  const { name, requested_permissions: asked } = change
  const details = { fields: Object.keys(change), ...(name === undefined ? {} : { name }), ...aboutAsked(asked) }
  return { partner_id, ...(client_id === null ? {} : { application_id: client_id }), details }
}

/** Of an audit event; null asks for everything. */
export function aboutAsked(asked: RequestedPermissions | null | undefined) {
  return asked === undefined ? {} : { requested_permissions: asked && permissionsOf(asked) }
}

/** With the logo, of this partner only. */
export async function getOwnChange(
  { sql }: Context,
  partnerId: string,
  id: string,
): Promise<RequestedChange & { logo: SentLogo | null }> {
  const row = found(await store.findChange(sql, id), 'presentation change')
  if (row.partner_id !== partnerId) throw notFound('presentation change')
  return { ...toRequestedChange(row), logo: logoOf(row) }
}

export function logoOf({ change, logo }: { change: store.WantedLook; logo: Buffer | null }): SentLogo | null {
  return change.logo && logo ? { type: change.logo.type as SentLogo['type'], data: logo.toString('base64') } : null
}

/** Withdraws what waits, or puts away what was refused. */
export async function withdrawChange(context: Context, actor: Actor, partnerId: string, id: string): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const row = await store.findChange(sql, id)
    if (row?.partner_id !== partnerId) throw notFound('presentation change')
    await withdraw(sql, { at: context.now(), actor }, row)
  })
}

async function withdraw(
  sql: Sql,
  { at, actor }: { at: Date; actor: Actor },
  { id, partner_id }: store.PresentationChange,
): Promise<void> {
  const row = found(await store.deleteChange(sql, id, partner_id), 'presentation change')
  if (row.refused_at) return
  await recordAudit(sql, { type: 'presentation_change.withdrawn', at, actor, ...aboutOf(row, row.change) })
}

/** The operator has changed these fields itself: what the partner asked for them no longer waits. */
export async function settleFields(sql: Sql, subject: store.Subject, change: object): Promise<void> {
  const fields = lookFields.filter((field) => field in change)
  if (fields.length === 0) return
  await store.removeFields(sql, subject, fields)
  await store.deleteEmptyChange(sql, subject)
}
