import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, found, type Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import type { RequestedPermissions } from '../permissions.ts'
import { lockPartner } from '../store/partners-sql.ts'
import * as store from '../store/presentation-changes-sql.ts'
import { changeApplication, lockApplication } from './applications.ts'
import { applyBranding } from './branding.ts'
import { applicationLogoPath, type SentLogo } from './logo.ts'
import { aboutOf, type LookField, logoOf, toRequestedChange } from './presentation-changes.ts'

/** A change that waits for the operator, beside what people see now. */
export interface WaitingChange {
  id: string
  revision: number
  partner_id: string
  partner_name: string
  partner_domain: string | null
  client_id: string | null
  current: {
    name: string
    home_page: string | null
    logo: string | null
    requested_permissions: RequestedPermissions | null
  }
  fields: LookField[]
  name: string | null
  home_page: string | null
  requested_permissions: RequestedPermissions | null
  requested_at: Date
}

export async function listWaitingChanges(context: Context, request: PageRequest): Promise<Page<WaitingChange>> {
  const range = pageRange(request)
  const rows = await store.listWaitingChanges(context.sql, range)
  return toPage(rows.map(toWaitingChange), range, ({ id }) => id)
}

/** With the wanted logo, which belongs to this revision. */
export async function getWaitingChange(
  { sql }: Context,
  id: string,
): Promise<WaitingChange & { logo: SentLogo | null }> {
  const row = found(await store.findWaitingChange(sql, id), 'presentation change')
  return { ...toWaitingChange(row), logo: logoOf(row) }
}

function toWaitingChange(row: store.WaitingChange): WaitingChange {
  const { partner_id, partner_name, partner_domain, client_id } = row
  const { refused_at: _, reason: __, ...asked } = toRequestedChange(row)
  const logo = client_id
    ? applicationLogoPath(client_id, row.application_logo_version)
    : row.partner_has_logo
      ? `/pages/partners/${partner_id}/logo`
      : null
  const current = {
    ...{ name: row.current_name, home_page: row.current_home_page, logo },
    requested_permissions: row.current_requested_permissions,
  }
  return { ...asked, partner_id, partner_name, partner_domain, client_id, current }
}

/** The operator names the revision it looked at: what the partner asked for since is not approved with it. */
export interface Reviewed {
  id: string
  revision: number
}

export async function approveChange(context: Context, actor: Actor, { id, revision }: Reviewed): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const subject = found(await store.findChange(sql, id), 'presentation change')
    const apply = await lockSubject(sql, { at, actor }, subject)
    const row = found(await store.lockChange(sql, id), 'presentation change')
    if (row.revision !== revision) throw replaced()
    await store.deleteChange(sql, id, row.partner_id)
    await apply(row)
    await recordAudit(sql, { type: 'presentation_change.approved', at, actor, ...aboutOf(row, row.change) })
  })
}

/** The subject is locked before its change, as where a partner asks. Names are judged as the partner's own wish. */
async function lockSubject(
  sql: Sql,
  by: { at: Date; actor: Actor },
  { partner_id, client_id }: store.Subject,
): Promise<(row: store.ChangeWithLogo) => Promise<unknown>> {
  if (client_id === null) {
    await lockPartner(sql, partner_id)
    return (row) => applyBranding(sql, { ...by, namedBy: row.requested_by as Actor }, partner_id, lookOf(row))
  }
  const application = await lockApplication(sql, client_id)
  return (row) => changeApplication(sql, { ...by, namedBy: row.requested_by as Actor }, application, lookOf(row))
}

function lookOf(row: store.ChangeWithLogo) {
  const { logo, ...texts } = row.change
  return logo === undefined ? texts : { ...texts, logo: logoOf(row) }
}

export async function refuseChange(
  context: Context,
  actor: Actor,
  { id, revision, reason }: Reviewed & { reason: string },
): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const row = await store.refuseChange(sql, { id, revision, reason, at })
    if (!row) {
      found(await store.findWaitingChange(sql, id), 'presentation change')
      throw replaced()
    }
    const { details, ...about } = aboutOf(row, row.change)
    await recordAudit(sql, {
      type: 'presentation_change.refused',
      at,
      actor,
      ...about,
      details: { ...details, reason },
    })
  })
}

/** Who decides has looked at something else. */
export function replaced(): Refusal {
  return conflict('change_replaced', 'The partner has changed its request since you read it. Look at it again.')
}
