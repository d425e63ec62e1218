import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../events/audit.ts'
import type { BaseContext } from '../platform/context.ts'
import { transaction } from '../platform/database/database.ts'
import type { Sql } from '../platform/database/sql.ts'
import { requireMatch } from '../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/http/pagination.ts'
import { lifetimes } from '../platform/own-limits.ts'
import { requireRoom } from '../platform/quotas.ts'
import { conflict, found, invalid } from '../platform/refusal.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../platform/secrets/secrets.ts'
import { fullRights, type PeopleActor, requireRight } from './accounts/people-rights.ts'
import { revokeLinksForCustomers } from './accounts/revoked-links.ts'
import { type Expiry, isExpired, listedSince, nextExpiry, readExpiry, soonFrom } from './api-key-expiry.ts'
import { type StoredReach, withdrawCommands, withdrawCommandsBeyond } from './command-withdrawals.ts'
import { findSpacePaths, requireSpaces } from './organization/spaces.ts'
import type { CredentialPermissions } from './permissions.ts'
import * as store from './store/api-keys-sql.ts'
import { lockCustomer } from './store/customers-sql.ts'
import { lockPartner } from './store/partners-sql.ts'

export interface NewKey {
  name: string
  used_by?: string | null | undefined
  expires_at?: Date | null | undefined
  /** Of a customer's key only; null: everything. */
  permissions?: CredentialPermissions | null | undefined
  within?: string[] | null | undefined
}

export type KeyChanges = Partial<NewKey>

export interface ApiKeyResponse extends Omit<store.ApiKey, 'permissions' | 'within' | 'lifetime_seconds'> {
  permissions: CredentialPermissions | null
  within: { id: string; name: string | null }[] | null
  expired: boolean
}

export type CreatedKey = ApiKeyResponse & { key: string }

/** The key is returned only once: its digest alone is stored. */
export async function createApiKey(
  context: BaseContext,
  actor: PeopleActor,
  owner: store.KeyOwner,
  { name, used_by = null, expires_at = null, permissions = null, within = null }: NewKey,
): Promise<CreatedKey> {
  const at = context.now()
  const expiry = readExpiry(expires_at, at)
  return await transaction(context.sql, async (sql) => {
    await lockOwner(sql, actor, owner)
    await requireRoomForKey(context, sql, owner)
    if ('customer_id' in owner) await requireSpaces(sql, owner.customer_id, within)
    const parts = { name, used_by, permissions, within: asStored(within) }
    const created = await insertKey(sql, actor, owner, { ...parts, ...expiry, at })
    const { id, hint } = created
    const details = { api_key_id: id, name, hint, ...(used_by ? { used_by } : {}), ...expiryDetail(created) }
    await recordAudit(sql, { type: 'api_key.created', at, actor, ...owner, details })
    return created
  })
}

/** Keys that are not revoked, expired ones for a while too, so that people see why something stopped. */
export async function listApiKeys(
  context: BaseContext,
  owner: store.KeyOwner,
  { expiring = false, ...request }: PageRequest & { expiring?: boolean },
): Promise<Page<ApiKeyResponse>> {
  const range = pageRange(request)
  const at = context.now()
  const rows = expiring
    ? await store.listExpiringKeys(context.sql, owner, range, { from: at, to: soonFrom(at) })
    : await store.listApiKeys(context.sql, owner, range, listedSince(at))
  const { items, next } = toPage(rows, range, ({ id }) => id)
  return { items: await toResponses(context.sql, owner, items, at), next }
}

export async function getApiKey(context: BaseContext, owner: store.KeyOwner, id: string): Promise<ApiKeyResponse> {
  const at = context.now()
  const key = found(await store.findApiKey(context.sql, owner, id, listedSince(at)), 'API key')
  return await toResponse(context.sql, owner, key, at)
}

/** What two people could change at once: the last use changes every minute. */
export function versionOf(key: ApiKeyResponse): object {
  return { ...key, last_used_at: null }
}

/** Narrower permissions, or an earlier expiry, count from the next request on. */
export async function changeApiKey(
  context: BaseContext,
  actor: PeopleActor,
  { owner, id, ifMatch }: { owner: store.KeyOwner; id: string; ifMatch: string | undefined },
  changes: KeyChanges,
): Promise<ApiKeyResponse> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockOwner(sql, actor, owner)
    const before = found(await store.lockApiKey(sql, owner, id, listedSince(at)), 'API key')
    requireMatch(ifMatch, versionOf(await toResponse(sql, owner, before, at)))
    if (isExpired(before, at)) throw expired()
    if ('customer_id' in owner) await requireSpaces(sql, owner.customer_id, changes.within ?? null)
    const after = await store.updateApiKey(sql, id, applied(before, changes, at))
    const fields = fieldsThatDiffer(before, after)
    if (fields.length > 0) await recordChange(sql, actor, owner, after, { at, fields })
    await revokeLinksWithoutRight(sql, actor, owner, { before, after, at })
    if ('customer_id' in owner) {
      await withdrawCommandsBeyond(sql, { client_id: before.id, customer_id: owner.customer_id, actor }, before, after)
    }
    return await toResponse(sql, owner, after, at)
  })
}

/**
 * A new key with the same name, permissions and length of life; the old one works on for the overlap. A key that the old one
 * had replaced itself ends now: two are valid at once, not three (as of client secrets, decision 6.22).
 */
export async function rotateApiKey(
  context: BaseContext,
  actor: PeopleActor,
  { owner, id }: { owner: store.KeyOwner; id: string },
  overlap: number = lifetimes.previousSecretSeconds,
): Promise<CreatedKey & { previous_expires_at: Date }> {
  const at = context.now()
  const until = new Date(at.getTime() + overlap * 1000)
  return await transaction(context.sql, async (sql) => {
    await lockOwner(sql, actor, owner)
    const old = found(await store.lockApiKey(sql, owner, id, listedSince(at)), 'API key')
    if (old.replaced_by) throw alreadyRotated()
    // One that still works leaves its place to the new one, so that a full quota does not keep old keys in use.
    if (isExpired(old, at)) await requireRoomForKey(context, sql, owner)
    const { name, used_by, permissions, within } = old
    const created = await insertKey(sql, actor, owner, {
      ...{ name, used_by, permissions, within, at },
      ...nextExpiry(old, at),
    })
    await store.replaceApiKey(sql, owner, id, { by: created.id, at, until })
    const previous_expires_at = old.expires_at && old.expires_at < until ? old.expires_at : until
    const next = { new_api_key_id: created.id, new_hint: created.hint }
    const details = { api_key_id: id, name, hint: old.hint, ...next, valid_until: previous_expires_at.toISOString() }
    await recordAudit(sql, { type: 'api_key.rotated', at, actor, ...owner, details })
    return { ...created, previous_expires_at }
  })
}

export async function revokeApiKey(
  context: BaseContext,
  actor: Actor,
  owner: store.KeyOwner,
  id: string,
): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const key = found(await store.revokeApiKey(sql, owner, id, { at, since: listedSince(at) }), 'API key')
    const details = { api_key_id: id, name: key.name, hint: key.hint }
    await recordAudit(sql, { type: 'api_key.revoked', at, actor, ...owner, details })
    if ('customer_id' in owner) {
      await revokeLinksForCustomers(sql, { kind: 'api_key', id }, [owner.customer_id], { at, actor })
      await withdrawCommands(sql, { client_id: id, customer_id: owner.customer_id, actor }, key)
    }
  })
}

/** What the key may do, unless it is revoked; until the transaction ends, nobody revokes or changes it. */
export async function holdApiKey(sql: Sql, id: string): Promise<StoredReach | null> {
  return await store.shareApiKey(sql, id)
}

/** Changes of one owner's keys take turns, and whoever makes one still has the right to. */
async function lockOwner(sql: Sql, actor: PeopleActor, owner: store.KeyOwner): Promise<void> {
  if ('customer_id' in owner) await lockCustomer(sql, owner.customer_id)
  else await lockPartner(sql, owner.partner_id)
  await requireRight(sql, fullRights(actor), owner)
}

async function requireRoomForKey(context: BaseContext, sql: Sql, owner: store.KeyOwner): Promise<void> {
  const count = () => store.countApiKeys(sql, owner, context.now())
  await requireRoom(context, sql, 'api_keys', { tenant: owner, count })
}

async function insertKey(
  sql: Sql,
  actor: PeopleActor,
  owner: store.KeyOwner,
  { at, ...parts }: Pick<store.ApiKey, 'name' | 'used_by' | 'permissions' | 'within'> & Expiry & { at: Date },
): Promise<CreatedKey> {
  const key = mintSecret('api_key')
  const created_by = actor.kind === 'user' ? actor.id : null
  const row = { ...parts, id: newId(), hint: hint(key), created_by, created_at: at }
  await store.insertApiKey(sql, owner, { ...row, digest: digest(key) })
  return { ...(await toResponse(sql, owner, { ...row, replaced_by: null, last_used_at: null }, at)), key }
}

function applied(before: store.ApiKey, changes: KeyChanges, at: Date): store.ApiKey {
  const { name, used_by, permissions, within, expires_at } = changes
  return {
    ...before,
    ...(name === undefined ? {} : { name }),
    ...(used_by === undefined ? {} : { used_by }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(within === undefined ? {} : { within: asStored(within) }),
    ...(expires_at === undefined ? {} : changedExpiry(before, expires_at, at)),
  }
}

/** Each once, in the form in which Postgres returns them. */
const asStored = (ids: string[] | null) => ids && [...new Set(ids.map((id) => id.toLowerCase()))]

/** A key that was rotated works no longer than a rotation would let it. */
function changedExpiry(before: store.ApiKey, expires_at: Date | null, at: Date): Partial<Expiry> {
  const { lifetime_seconds } = before
  const expiry = readExpiry(expires_at, at)
  if (!before.replaced_by) return expiry
  const latest = at.getTime() + lifetimes.maxPreviousSecretSeconds * 1000
  if (expiry.expires_at && expiry.expires_at.getTime() <= latest) return { ...expiry, lifetime_seconds }
  throw invalid({ field: 'expires_at', message: 'must be at most 30 days ahead: this key was rotated' })
}

const changeable = ['name', 'used_by', 'permissions', 'within', 'expires_at'] as const

function fieldsThatDiffer(before: store.ApiKey, after: store.ApiKey): string[] {
  return changeable.filter((field) => !isDeepStrictEqual(before[field], after[field]))
}

async function recordChange(
  sql: Sql,
  actor: PeopleActor,
  owner: store.KeyOwner,
  key: store.ApiKey,
  { at, fields }: { at: Date; fields: string[] },
): Promise<void> {
  const details = { api_key_id: key.id, name: key.name, hint: key.hint, fields, ...expiryDetail(key) }
  await recordAudit(sql, { type: 'api_key.changed', at, actor, ...owner, details })
}

const expiryDetail = ({ expires_at }: Pick<store.ApiKey, 'expires_at'>) =>
  expires_at === null ? {} : { expires_at: expires_at.toISOString() }

/** A link that the key made may not bring anybody in once the key itself may not. */
async function revokeLinksWithoutRight(
  sql: Sql,
  actor: PeopleActor,
  owner: store.KeyOwner,
  { before, after, at }: { before: store.ApiKey; after: store.ApiKey; at: Date },
): Promise<void> {
  const mayInvite = ({ permissions }: store.ApiKey) => permissions === null || permissions.people === 'manage'
  if (!('customer_id' in owner) || !mayInvite(before) || mayInvite(after)) return
  await revokeLinksForCustomers(sql, { kind: 'api_key', id: after.id }, [owner.customer_id], { at, actor })
}

const expired = () =>
  conflict('api_key_expired', 'This API key has expired and works no longer. Rotate it to get a new one.')

const alreadyRotated = () =>
  conflict('already_rotated', 'This API key was rotated before. Rotate the key that replaced it.')

async function toResponse(sql: Sql, owner: store.KeyOwner, key: store.ApiKey, at: Date): Promise<ApiKeyResponse> {
  return (await toResponses(sql, owner, [key], at))[0]!
}

/** With the names of the spaces, of all keys in one statement. */
async function toResponses(sql: Sql, owner: store.KeyOwner, keys: store.ApiKey[], at: Date): Promise<ApiKeyResponse[]> {
  const ids = [...new Set(keys.flatMap(({ within }) => within ?? []))]
  const paths = 'customer_id' in owner ? await findSpacePaths(sql, { customer_id: owner.customer_id }, ids) : new Map()
  const named = (id: string) => ({ id, name: paths.get(id)?.join(' / ') ?? null })
  return keys.map(({ lifetime_seconds: _, ...key }) => ({
    ...key,
    permissions: key.permissions as CredentialPermissions | null,
    within: key.within?.map(named) ?? null,
    expired: isExpired(key, at),
  }))
}
