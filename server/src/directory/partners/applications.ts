import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { isId, newId } from '../../platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { type RequestedPermissions, withoutNone } from '../permissions.ts'
import * as store from '../store/applications-sql.ts'
import { insertClientSecret, listClientSecrets } from '../store/client-secrets-sql.ts'
import { findPartner } from '../store/partners-sql.ts'
import { listChangesOf } from '../store/presentation-changes-sql.ts'
import { requireHomePage } from './home-page.ts'
import { applicationLogoPath, type SentLogo, withVersion } from './logo.ts'
import {
  aboutAsked,
  type RequestedChange,
  requestChange,
  settleFields,
  toRequestedChange,
} from './presentation-changes.ts'
import { requireOwnName } from './public-names.ts'
import { requireRedirectUris } from './redirect-uris.ts'

export { findPartnersOfApplications } from '../store/applications-sql.ts'

export async function getApplicationLogo(
  context: Context,
  clientId: string,
): Promise<{ logo: Buffer; logo_type: string }> {
  return found(isId(clientId) ? await store.findApplicationLogo(context.sql, clientId) : undefined, 'logo')
}

export interface ApplicationChange extends store.ApplicationChange {
  logo?: SentLogo | null | undefined
}

export interface NewApplication {
  name: string
  home_page?: string | null | undefined
  redirect_uris: string[]
  id_token_alg?: store.IdTokenAlg | undefined
  logo?: SentLogo | null | undefined
  requested_permissions?: RequestedPermissions | null | undefined
}

interface SecretSummary {
  hint: string
  created_at: Date
  expires_at: Date | null
}

/** With a summary of the valid secrets, never the secrets themselves. */
export interface ApplicationResponse extends Omit<store.Application, 'logo_version'> {
  /** Its path. */
  logo: string | null
  secrets: SecretSummary[]
  /** What its partner asked to change of its look, while it waits or once it was refused. */
  requested_change: RequestedChange | null
}

export async function createApplication(
  context: Context,
  actor: Actor,
  partnerId: string,
  input: NewApplication,
): Promise<ApplicationResponse & { client_secret: string }> {
  return await transaction(context.sql, (sql) => registerApplication(context, sql, { actor, partnerId }, input))
}

/** What is wrong with it that no other application is needed to see. */
export function requireSound(input: Pick<NewApplication, 'redirect_uris' | 'home_page'>): void {
  requireRedirectUris(input.redirect_uris)
  requireHomePage(input.home_page)
}

interface Registration {
  actor: Actor
  partnerId: string
  /** Whose wish the name is. */
  namedBy?: Actor
  clientId?: string
}

/** Within the caller's transaction. */
export async function registerApplication(
  context: Context,
  sql: Sql,
  { actor, partnerId, namedBy = actor, clientId = newId() }: Registration,
  input: NewApplication,
): Promise<ApplicationResponse & { client_secret: string }> {
  requireSound(input)
  const at = context.now()
  const logo = input.logo ? withVersion(input.logo) : null
  const asked = input.requested_permissions ? withoutNone(input.requested_permissions) : null
  const application: store.Application = {
    client_id: clientId,
    partner_id: partnerId,
    name: input.name,
    home_page: input.home_page ?? null,
    logo_version: logo?.logo_version ?? null,
    redirect_uris: input.redirect_uris,
    id_token_alg: input.id_token_alg ?? 'RS256',
    enabled: true,
    secret_rotation_requested_at: null,
    requested_permissions: asked,
    created_at: at,
  }
  const client_secret = mintSecret('client_secret')
  if (!(await findPartner(sql, partnerId))) throw notFound('partner')
  await requireOwnName(sql, { actor: namedBy, name: input.name, partnerId })
  const count = () => store.countApplications(sql, partnerId)
  await requireRoom(context, sql, 'applications', { tenant: { partner_id: partnerId }, count })
  await store.insertApplication(sql, application)
  if (logo) await store.updateApplicationLogo(sql, clientId, logo)
  await insertClientSecret(sql, {
    id: newId(),
    client_id: clientId,
    digest: digest(client_secret),
    hint: hint(client_secret),
    created_at: at,
  })
  const about = { name: input.name, redirect_uris: input.redirect_uris, ...aboutAsked(asked) }
  const subject = { partner_id: partnerId, application_id: clientId }
  await recordAudit(sql, { type: 'application.created', at, actor, ...subject, details: about })
  const { logo_version, ...response } = application
  const secrets = [{ hint: hint(client_secret), created_at: at, expires_at: null }]
  const path = applicationLogoPath(clientId, logo_version)
  return { ...response, logo: path, client_secret, secrets, requested_change: null }
}

export async function getApplication(context: Context, clientId: string): Promise<ApplicationResponse> {
  const application = found(await store.findApplication(context.sql, clientId), 'application')
  return await toApplicationResponse(context.sql, context.now(), application)
}

export async function toApplicationResponse(
  sql: Sql,
  at: Date,
  application: store.Application,
): Promise<ApplicationResponse> {
  return (await withSecrets(sql, at, [application]))[0]!
}

export async function listApplications(context: Context, request: PageRequest): Promise<Page<ApplicationResponse>> {
  const range = pageRange(request)
  const rows = await withSecrets(context.sql, context.now(), await store.listApplications(context.sql, range))
  return toPage(rows, range, ({ client_id }) => client_id)
}

export async function listApplicationsOfPartner(
  context: Context,
  partnerId: string,
  request: PageRequest,
): Promise<Page<ApplicationResponse>> {
  const range = pageRange(request)
  const applications = await store.listApplicationsOfPartner(context.sql, partnerId, range)
  const rows = await withSecrets(context.sql, context.now(), applications)
  return toPage(rows, range, ({ client_id }) => client_id)
}

/** Within the caller's transaction, since disabling an application also revokes its grants, which another area stores. */
export async function changeApplication(
  sql: Sql,
  { at, actor, namedBy = actor }: { at: Date; actor: Actor; namedBy?: Actor },
  before: store.Application,
  { logo, ...wanted }: ApplicationChange,
): Promise<ApplicationResponse> {
  const asked = wanted.requested_permissions && withoutNone(wanted.requested_permissions)
  const change = asked ? { ...wanted, requested_permissions: asked } : wanted
  if (change.redirect_uris) requireRedirectUris(change.redirect_uris)
  requireHomePage(change.home_page)
  if (change.name !== undefined && change.name !== before.name) {
    await requireOwnName(sql, { actor: namedBy, name: change.name, partnerId: before.partner_id })
  }
  if (logo !== undefined) await store.updateApplicationLogo(sql, before.client_id, logo && withVersion(logo))
  const application = found(await store.updateApplication(sql, before.client_id, change), 'application')
  const about = { at, actor, partner_id: application.partner_id, application_id: application.client_id }
  const { enabled: _, ...fields } = { ...change, ...(logo === undefined ? {} : { logo }) }
  await settleFields(sql, application, fields)
  if (Object.keys(fields).length > 0) {
    const details = { fields: Object.keys(fields), ...aboutAsked(asked) }
    await recordAudit(sql, { ...about, type: 'application.changed', details })
  }
  if (application.enabled !== before.enabled) {
    await recordAudit(sql, { ...about, type: application.enabled ? 'application.enabled' : 'application.disabled' })
  }
  return await toApplicationResponse(sql, at, application)
}

/** Locks the row until the transaction ends; a grant is opened under `for share` on the same row. */
export async function lockApplication(sql: Sql, clientId: string): Promise<store.Application> {
  return found(await store.lockApplication(sql, clientId), 'application')
}

/** As `lockApplication`, for its partner: the same 404 for another partner's application and for an unknown one. */
export async function lockApplicationOf(sql: Sql, partnerId: string, clientId: string): Promise<store.Application> {
  const application = await store.lockApplication(sql, clientId)
  if (application?.partner_id !== partnerId) throw notFound('application')
  return application
}

export async function getApplicationOf(
  context: Context,
  partnerId: string,
  clientId: string,
): Promise<ApplicationResponse> {
  const application = await store.findApplication(context.sql, clientId)
  if (application?.partner_id !== partnerId) throw notFound('application')
  return await toApplicationResponse(context.sql, context.now(), application)
}

async function withSecrets(sql: Sql, at: Date, applications: store.Application[]): Promise<ApplicationResponse[]> {
  const secrets = await listClientSecrets(
    sql,
    applications.map(({ client_id }) => client_id),
    at,
  )
  const byClient = Map.groupBy(secrets, ({ client_id }) => client_id)
  const changes = await listChangesOf(
    sql,
    applications.map(({ client_id }) => client_id),
  )
  const requested = new Map(changes.map((change) => [change.client_id, toRequestedChange(change)]))
  return applications.map(({ logo_version, ...application }) => ({
    ...application,
    logo: applicationLogoPath(application.client_id, logo_version),
    secrets: (byClient.get(application.client_id) ?? []).map(({ client_id: _, ...secret }) => secret),
    requested_change: requested.get(application.client_id) ?? null,
  }))
}

/**
 * A partner changes its redirect URIs; what people see of the application it asks the operator to change (decision 6.46).
 * A lab has no operator who would look.
 */
export async function changeOwnApplication(
  context: Context,
  actor: Actor,
  target: { partnerId: string; clientId: string; ifMatch: string | undefined },
  change: Omit<ApplicationChange, 'enabled'>,
): Promise<ApplicationResponse> {
  const at = context.now()
  const { redirect_uris, logo, ...texts } = change
  return await transaction(context.sql, async (sql) => {
    const before = await lockApplicationOf(sql, target.partnerId, target.clientId)
    requireMatch(target.ifMatch, await toApplicationResponse(sql, at, before))
    if (context.config.lab) return await changeApplication(sql, { at, actor }, before, change)
    requireHomePage(texts.home_page)
    const asked = texts.requested_permissions && withoutNone(texts.requested_permissions)
    const look = {
      ...texts,
      ...(asked ? { requested_permissions: asked } : {}),
      ...(logo === undefined ? {} : { logo: logo && withVersion(logo) }),
    }
    const subject = { partner_id: before.partner_id, client_id: before.client_id }
    if (Object.keys(look).length > 0) await requestChange(sql, { at, actor, subject }, before, look)
    if (redirect_uris) return await changeApplication(sql, { at, actor }, before, { redirect_uris })
    return await toApplicationResponse(sql, at, before)
  })
}
