import type { PageRange, Sql } from '../../platform/database/sql.ts'

export interface WebhookEndpoint {
  id: string
  url: string
  description: string | null
  events: string[]
  previous_expires_at: Date | null
  failing_since: Date | null
  disabled_at: Date | null
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  created_at: Date
}

const columns = [
  'id',
  'url',
  'description',
  'events',
  'previous_expires_at',
  'failing_since',
  'disabled_at',
  'disabled_because',
  'created_at',
] as const

export interface NewWebhookEndpoint {
  id: string
  partner_id: string
  url: string
  description: string | null
  events: string[]
  secret: Buffer
  created_at: Date
}

export async function insertEndpoint(sql: Sql, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint> {
  const [row] = await sql<WebhookEndpoint[]>`
    insert into webhook_endpoints
    ${sql(endpoint, 'id', 'partner_id', 'url', 'description', 'events', 'secret', 'created_at')}
    returning ${sql(columns)}`
  return row!
}

export async function countEndpoints(sql: Sql, partnerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhook_endpoints where partner_id = ${partnerId}`
  return row!.count
}

export async function listEndpoints(
  sql: Sql,
  partnerId: string,
  { after, limit }: PageRange,
): Promise<WebhookEndpoint[]> {
  return await sql<WebhookEndpoint[]>`
    select ${sql(columns)} from webhook_endpoints
    where partner_id = ${partnerId} and id > ${after}
    order by id limit ${limit}`
}

export async function findEndpoint(sql: Sql, partnerId: string, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await sql<WebhookEndpoint[]>`
    select ${sql(columns)} from webhook_endpoints where partner_id = ${partnerId} and id = ${id}`
  return row
}

export async function lockEndpoint(sql: Sql, partnerId: string, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await sql<WebhookEndpoint[]>`
    select ${sql(columns)} from webhook_endpoints where partner_id = ${partnerId} and id = ${id} for no key update`
  return row
}

export interface EndpointChange {
  url?: string | undefined
  description?: string | null | undefined
  events?: string[] | undefined
  enabled?: boolean | undefined
}

/** Enabling clears earlier failures: the endpoint gets a full day before it is disabled again. */
export async function updateEndpoint(
  sql: Sql,
  id: string,
  change: EndpointChange,
  now: Date,
): Promise<WebhookEndpoint> {
  const enabled = change.enabled ?? null
  const [row] = await sql<WebhookEndpoint[]>`
    update webhook_endpoints set
      url = coalesce(${change.url ?? null}, url),
      description = case when ${change.description !== undefined} then ${change.description ?? null} else description end,
      events = coalesce(${change.events ?? null}::text[], events),
      disabled_at = case ${enabled}::boolean when true then null when false then coalesce(disabled_at, ${now}) else disabled_at end,
      disabled_because = case ${enabled}::boolean
        when true then null when false then coalesce(disabled_because, 'by_partner') else disabled_because end,
      failing_since = case when ${enabled}::boolean then null else failing_since end
    where id = ${id}
    returning ${sql(columns)}`
  return row!
}

export async function deleteEndpoint(sql: Sql, partnerId: string, id: string): Promise<boolean> {
  const { count } = await sql`delete from webhook_endpoints where partner_id = ${partnerId} and id = ${id}`
  return count === 1
}

/** The previous secret signs as well until `previousExpiresAt`; with null it stops at once. */
export async function rotateSecret(
  sql: Sql,
  partnerId: string,
  id: string,
  secret: Buffer,
  previousExpiresAt: Date | null,
): Promise<boolean> {
  const { count } = await sql`
    update webhook_endpoints set secret = ${secret},
      previous_secret = case when ${previousExpiresAt}::timestamptz is null then null else secret end,
      previous_expires_at = ${previousExpiresAt}
    where partner_id = ${partnerId} and id = ${id}`
  return count === 1
}

/** Locks the row in any case, since more of this endpoint is written after it. */
export async function recordSuccess(sql: Sql, id: string): Promise<void> {
  await sql`update webhook_endpoints set failing_since = null where id = ${id}`
}

export async function recordFailure(sql: Sql, id: string, at: Date): Promise<void> {
  await sql`update webhook_endpoints set failing_since = coalesce(failing_since, ${at}) where id = ${id}`
}

/** With `failingBefore` only if nothing was delivered since then, whatever was known when the attempt began. */
export async function disableEndpoint(
  sql: Sql,
  id: string,
  because: 'gone' | 'failing',
  at: Date,
  failingBefore: Date | null,
): Promise<boolean> {
  const { count } = await sql`
    update webhook_endpoints set disabled_at = ${at}, disabled_because = ${because}
    where id = ${id} and disabled_at is null
      and (${failingBefore}::timestamptz is null or failing_since <= ${failingBefore})`
  return count === 1
}

export interface TypeFailure {
  endpoint_id: string
  type: string
  /** Consecutive. */
  failures: number
  paused_until: Date
}

export async function saveTypeFailure(sql: Sql, failure: TypeFailure): Promise<void> {
  await sql`
    insert into webhook_failing_types (endpoint_id, type, failures, paused_until)
    select id, ${failure.type}, ${failure.failures}, ${failure.paused_until} from webhook_endpoints
    where id = ${failure.endpoint_id}
    on conflict (endpoint_id, type) do update set failures = excluded.failures, paused_until = excluded.paused_until`
}

export async function deleteTypeFailures(sql: Sql, endpointId: string, type: string): Promise<void> {
  await sql`delete from webhook_failing_types where endpoint_id = ${endpointId} and type = ${type}`
}

export async function deleteAllTypeFailures(sql: Sql, endpointId: string): Promise<void> {
  await sql`delete from webhook_failing_types where endpoint_id = ${endpointId}`
}
