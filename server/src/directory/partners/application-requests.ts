import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { tellOfApplicationRequest } from '../accounts/application-request-mails.ts'
import type { Context } from '../context.ts'
import { withoutNone } from '../permissions.ts'
import * as store from '../store/application-requests-sql.ts'
import { type ApplicationResponse, type NewApplication, registerApplication, requireSound } from './applications.ts'
import { readLogo, type SentLogo } from './logo.ts'
import { aboutAsked } from './presentation-changes.ts'
import { type Reviewed, replaced } from './presentation-review.ts'
import { requireOwnName } from './public-names.ts'

type Withheld = 'requested_by' | 'logo_type'

/** As its partner sees it. */
export type ApplicationRequest = Omit<store.ApplicationRequest, Withheld | 'partner_id'>

export type WaitingRequest = Omit<store.WaitingRequest, Withheld | 'refused_at' | 'reason'>

interface WithLogo {
  logo: SentLogo | null
}

/** Decision 6.53: what a partner wants to be registered waits for the operator, also in a lab. */
export async function requestApplication(
  context: Context,
  actor: Actor,
  partnerId: string,
  input: NewApplication,
): Promise<ApplicationRequest> {
  const wanted = toWanted(input)
  const id = newId()
  return await transaction(context.sql, async (sql) => {
    await requireOwnName(sql, { actor, name: wanted.name, partnerId })
    const count = () => store.countRequests(sql, partnerId)
    await requireRoom(context, sql, 'application_requests', { tenant: { partner_id: partnerId }, count })
    await store.insertRequest(sql, id, partnerId, { ...wanted, requested_by: actor, requested_at: context.now() })
    return await recordRequest(context, sql, actor, { partnerId, id })
  })
}

function toWanted(input: NewApplication): store.WantedApplication {
  requireSound(input)
  const { name, home_page = null, redirect_uris, id_token_alg = 'RS256', logo, requested_permissions: asked } = input
  return {
    ...{ name, home_page, redirect_uris, id_token_alg },
    requested_permissions: asked ? withoutNone(asked) : null,
    logo: logo ? readLogo(logo) : null,
    logo_type: logo?.type ?? null,
  }
}

async function recordRequest(
  context: Context,
  sql: Sql,
  actor: Actor,
  { partnerId, id }: { partnerId: string; id: string },
): Promise<ApplicationRequest> {
  const row = found(await store.findRequestOf(sql, partnerId, id), 'application request')
  await recordAudit(sql, { type: 'application_request.requested', at: context.now(), actor, ...aboutOf(row) })
  await tellOfApplicationRequest(context, sql, actor, { partner_id: partnerId, name: row.name, decision: null })
  return toRequest(row)
}

function aboutOf({ partner_id, name, redirect_uris, requested_permissions }: store.ApplicationRequest) {
  return { partner_id, details: { name, redirect_uris, ...aboutAsked(requested_permissions) } }
}

function toRequest(row: store.ApplicationRequest & { logo?: unknown }): ApplicationRequest {
  const { partner_id: _, requested_by: __, logo_type: ___, logo: ____, ...request } = row
  return request
}

export async function listOwnRequests(
  { sql }: Context,
  partnerId: string,
  request: PageRequest,
): Promise<Page<ApplicationRequest>> {
  const range = pageRange(request)
  const rows = await store.listRequestsOf(sql, partnerId, range)
  return toPage(rows.map(toRequest), range, ({ id }) => id)
}

export async function getOwnRequest(
  { sql }: Context,
  partnerId: string,
  id: string,
): Promise<ApplicationRequest & WithLogo> {
  const row = found(await store.findRequestOf(sql, partnerId, id), 'application request')
  return { ...toRequest(row), logo: sentLogo(row) }
}

function sentLogo({ logo, logo_type }: store.RequestWithLogo | store.WantedApplication): SentLogo | null {
  return logo && { type: logo_type as SentLogo['type'], data: logo.toString('base64') }
}

/** What is absent stays. One that was refused waits again. */
export async function changeRequest(
  context: Context,
  actor: Actor,
  target: { partnerId: string; id: string; ifMatch: string | undefined },
  change: Partial<NewApplication>,
): Promise<ApplicationRequest & WithLogo> {
  const { partnerId, id, ifMatch } = target
  return await transaction(context.sql, async (sql) => {
    const row = await lockOwn(sql, partnerId, id)
    const before = { ...toRequest(row), logo: sentLogo(row) }
    requireMatch(ifMatch, before)
    const wanted = toWanted({ ...before, ...change })
    // The same again: whoever looks at it now may still approve it.
    if (!row.refused_at && isDeepStrictEqual(wanted, wantedOf(row))) return before
    if (wanted.name !== row.name) await requireOwnName(sql, { actor, name: wanted.name, partnerId })
    await store.updateRequest(sql, id, { ...wanted, requested_by: actor, requested_at: context.now() })
    return { ...(await recordRequest(context, sql, actor, { partnerId, id })), logo: sentLogo(wanted) }
  })
}

function wantedOf(row: store.RequestWithLogo): store.WantedApplication {
  const { name, home_page, redirect_uris, id_token_alg, requested_permissions, logo, logo_type } = row
  return { name, home_page, redirect_uris, id_token_alg, requested_permissions, logo, logo_type }
}

/** The same 404 for another partner's request and for an unknown one. */
async function lockOwn(sql: Sql, partnerId: string, id: string): Promise<store.RequestWithLogo> {
  const row = await store.lockRequest(sql, id)
  if (row?.partner_id !== partnerId) throw notFound('application request')
  return row
}

/** Withdraws one that waits, or puts away one that was refused. */
export async function withdrawRequest(context: Context, actor: Actor, partnerId: string, id: string): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const row = await lockOwn(sql, partnerId, id)
    await store.deleteRequest(sql, id)
    if (row.refused_at) return
    await recordAudit(sql, { type: 'application_request.withdrawn', at: context.now(), actor, ...aboutOf(row) })
  })
}

/** What partners ask the operator for: changes, applications and secrets, of each at most 100. */
export async function findWaiting({ sql }: Context): Promise<store.Waiting> {
  return await store.findWaiting(sql, 100)
}

export async function listWaitingRequests({ sql }: Context, request: PageRequest): Promise<Page<WaitingRequest>> {
  const range = pageRange(request)
  const rows = await store.listWaitingRequests(sql, range)
  return toPage(rows.map(toWaiting), range, ({ id }) => id)
}

export async function getWaitingRequest({ sql }: Context, id: string): Promise<WaitingRequest & WithLogo> {
  const row = found(await store.findWaitingRequest(sql, id), 'application request')
  return { ...toWaiting(row), logo: sentLogo(row) }
}

function toWaiting(row: store.WaitingRequest): WaitingRequest {
  const { refused_at: _, reason: __, ...request } = toRequest(row)
  const { partner_id, partner_name, partner_domain } = row
  return { ...request, partner_id, partner_name, partner_domain }
}

/** Becomes the application that has its id, so that the partner can go on from there. */
export async function approveRequest(
  context: Context,
  actor: Actor,
  reviewed: Reviewed,
): Promise<ApplicationResponse & { client_secret: string }> {
  return await transaction(context.sql, async (sql) => {
    const row = await lockReviewed(sql, reviewed)
    const { id: clientId, partner_id: partnerId } = row
    await store.deleteRequest(sql, clientId)
    const namedBy = row.requested_by as Actor
    const wish = { ...wantedOf(row), logo: sentLogo(row) }
    const application = await registerApplication(context, sql, { actor, partnerId, namedBy, clientId }, wish)
    const about = { ...aboutOf(row), application_id: clientId }
    await recordAudit(sql, { type: 'application_request.approved', at: context.now(), actor, ...about })
    const wished = { partner_id: partnerId, name: row.name, decision: { approved: true } } as const
    await tellOfApplicationRequest(context, sql, actor, wished)
    return application
  })
}

export async function refuseRequest(
  context: Context,
  actor: Actor,
  { reason, ...reviewed }: Reviewed & { reason: string },
): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const row = await lockReviewed(sql, reviewed)
    await store.refuseRequest(sql, row.id, reason, at)
    const { details, ...about } = aboutOf(row)
    const event = { type: 'application_request.refused', at, actor, ...about } as const
    await recordAudit(sql, { ...event, details: { ...details, reason } })
    const decision = { approved: false, reason } as const
    await tellOfApplicationRequest(context, sql, actor, { partner_id: row.partner_id, name: row.name, decision })
  })
}

/** As the operator looked at it. */
async function lockReviewed(sql: Sql, { id, revision }: Reviewed): Promise<store.RequestWithLogo> {
  const row = found(await store.lockRequest(sql, id), 'application request')
  if (row.refused_at) throw notFound('application request')
  if (row.revision !== revision) throw replaced()
  return row
}
