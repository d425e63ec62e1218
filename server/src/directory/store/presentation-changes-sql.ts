import type { PageRange, Sql } from '../../platform/database/sql.ts'
import type { RequestedPermissions } from './applications-sql.ts'

/** Whose look it is: the partner's own, or an application's. */
export interface Subject {
  partner_id: string
  client_id: string | null
}

/** The fields that are to change, with their values; null removes a home page or a logo. */
export interface WantedLook {
  name?: string
  home_page?: string | null
  /** Its bytes are kept beside. */
  logo?: { type: string; version: string } | null
  /** Of an application only. */
  requested_permissions?: RequestedPermissions | null
}

export interface PresentationChange extends Subject {
  id: string
  revision: number
  change: WantedLook
  /** An actor of the audit log. */
  requested_by: { kind: string; id?: string }
  requested_at: Date
  refused_at: Date | null
  reason: string | null
}

const columns = (sql: Sql) => sql`
  id, partner_id, client_id, revision, change, requested_by, requested_at, refused_at, reason`

const isAbout = (sql: Sql, { partner_id, client_id }: Subject) => sql`
  partner_id = ${partner_id} and client_id is not distinct from ${client_id}`

export async function findChangeOf(sql: Sql, subject: Subject): Promise<PresentationChange | undefined> {
  const [row] = await sql<PresentationChange[]>`
    select ${columns(sql)} from presentation_changes where ${isAbout(sql, subject)}`
  return row
}

export async function listChangesOf(sql: Sql, clientIds: string[]): Promise<PresentationChange[]> {
  return await sql<PresentationChange[]>`
    select ${columns(sql)} from presentation_changes where client_id = any(${clientIds}::uuid[])`
}

export interface ChangeWithLogo extends PresentationChange {
  logo: Buffer | null
}

export async function findChange(sql: Sql, id: string): Promise<ChangeWithLogo | undefined> {
  const [row] = await sql<ChangeWithLogo[]>`
    select ${columns(sql)}, logo from presentation_changes where id = ${id}`
  return row
}

/** Of a change that waits. Lock its subject first. */
export async function lockChange(sql: Sql, id: string): Promise<ChangeWithLogo | undefined> {
  const [row] = await sql<ChangeWithLogo[]>`
    select ${columns(sql)}, logo from presentation_changes where id = ${id} and refused_at is null for update`
  return row
}

/** Takes the place of what was asked before; an undefined logo keeps the bytes that are there. */
export async function saveChange(
  sql: Sql,
  { id, partner_id, client_id, change, requested_by, requested_at }: Omit<PresentationChange, 'revision'>,
  logo: Buffer | null | undefined,
): Promise<void> {
  await sql`
    insert into presentation_changes as asked
      (id, partner_id, client_id, revision, change, logo, requested_by, requested_at)
    values (${id}, ${partner_id}, ${client_id}, 1, ${JSON.stringify(change)}::jsonb, ${logo ?? null},
      ${JSON.stringify(requested_by)}::jsonb, ${requested_at})
    on conflict (partner_id, client_id) do update set
      revision = asked.revision + 1, change = excluded.change,
      logo = case when ${logo === undefined} then asked.logo else excluded.logo end,
      requested_by = excluded.requested_by, requested_at = excluded.requested_at, refused_at = null, reason = null`
}

export async function deleteChange(sql: Sql, id: string, partnerId: string): Promise<PresentationChange | undefined> {
  const [row] = await sql<PresentationChange[]>`
    delete from presentation_changes where id = ${id} and partner_id = ${partnerId} returning ${columns(sql)}`
  return row
}

export async function refuseChange(
  sql: Sql,
  { id, revision, reason, at }: { id: string; revision: number; reason: string; at: Date },
): Promise<PresentationChange | undefined> {
  const [row] = await sql<PresentationChange[]>`
    update presentation_changes set refused_at = ${at}, reason = ${reason}
    where id = ${id} and revision = ${revision} and refused_at is null
    returning ${columns(sql)}`
  return row
}

/** Removes fields that were changed otherwise. */
export async function removeFields(sql: Sql, subject: Subject, fields: string[]): Promise<void> {
  await sql`
    update presentation_changes set
      change = change - ${fields}::text[], revision = revision + 1,
      logo = case when 'logo' = any(${fields}::text[]) then null else logo end
    where ${isAbout(sql, subject)} and change ?| ${fields}::text[]`
}

export async function deleteEmptyChange(sql: Sql, subject: Subject): Promise<void> {
  await sql`delete from presentation_changes where ${isAbout(sql, subject)} and change = '{}'`
}

/** A change that waits, with the look in force. */
export interface WaitingChange extends PresentationChange {
  partner_name: string
  partner_domain: string | null
  current_name: string
  current_home_page: string | null
  current_requested_permissions: RequestedPermissions | null
  application_logo_version: string | null
  partner_has_logo: boolean
}

const waiting = (sql: Sql) => sql`
  select c.id, c.partner_id, c.client_id, c.revision, c.change, c.requested_by, c.requested_at, c.refused_at, c.reason,
    p.name as partner_name, p.verified_domain as partner_domain, coalesce(a.name, p.name) as current_name,
    a.home_page as current_home_page, a.requested_permissions as current_requested_permissions, a.logo_version as application_logo_version, p.has_logo as partner_has_logo
  from presentation_changes c
  join directory_partners p on p.id = c.partner_id
  left join applications a on a.client_id = c.client_id`

export async function listWaitingChanges(sql: Sql, { after, limit }: PageRange): Promise<WaitingChange[]> {
  return await sql<WaitingChange[]>`
    ${waiting(sql)} where c.refused_at is null and c.id > ${after} order by c.id limit ${limit}`
}

export async function findWaitingChange(
  sql: Sql,
  id: string,
): Promise<(WaitingChange & { logo: Buffer | null }) | undefined> {
  const [row] = await sql<(WaitingChange & { logo: Buffer | null })[]>`
    select waiting.*, presentation_changes.logo
    from (${waiting(sql)} where c.refused_at is null and c.id = ${id}) waiting
    join presentation_changes on presentation_changes.id = waiting.id`
  return row
}
