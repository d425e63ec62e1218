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

const shown = [
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
    returning ${sql(shown)}`
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
    select ${sql(shown)} from webhook_endpoints
    where partner_id = ${partnerId} and id > ${after}
    order by id limit ${limit}`
}

export async function findEndpoint(sql: Sql, partnerId: string, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await sql<WebhookEndpoint[]>`
    select ${sql(shown)} from webhook_endpoints where partner_id = ${partnerId} and id = ${id}`
  return row
}

export async function lockEndpoints(sql: Sql, partnerId: string): Promise<void> {
  await sql`select from webhook_endpoints where partner_id = ${partnerId} order by id for no key update`
}

export async function lockEndpoint(sql: Sql, partnerId: string, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await sql<WebhookEndpoint[]>`
    select ${sql(shown)} from webhook_endpoints where partner_id = ${partnerId} and id = ${id} for no key update`
  return row
}

export interface EndpointChange {
  url?: string | undefined
  description?: string | null | undefined
  events?: string[] | undefined
  enabled?: boolean | undefined
}

/** Enabling forgets the failures before it: the endpoint gets a new day to prove itself. */
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
    returning ${sql(shown)}`
  return row!
}

export async function deleteEndpoint(sql: Sql, partnerId: string, id: string): Promise<boolean> {
  const { count } = await sql`delete from webhook_endpoints where partner_id = ${partnerId} and id = ${id}`
  return count === 1
}

/** The former secret signs on until `previousExpiresAt`; with null it ends at once. */
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

/** `lock` where more is written of this endpoint: its row is always locked before anything below it. */
export async function noteSuccess(sql: Sql, id: string, { lock }: { lock: boolean }): Promise<void> {
  await sql`update webhook_endpoints set failing_since = null where id = ${id} and (failing_since is not null or ${lock})`
}

export async function noteEndpointFailure(sql: Sql, id: string, at: Date): Promise<void> {
  await sql`update webhook_endpoints set failing_since = coalesce(failing_since, ${at}) where id = ${id}`
}

/** `failingBefore`: only if it took nothing since then, whatever was known when the attempt began. */
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
