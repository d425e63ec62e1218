import type { Sql } from '../../platform/database/sql.ts'

export interface TypeFailure {
  endpoint_id: string
  type: string
  /** In a row. */
  failures: number
  paused_until: Date
}

export async function noteTypeFailure(sql: Sql, failure: TypeFailure): Promise<void> {
  await sql`
    insert into webhook_failing_types (endpoint_id, type, failures, paused_until)
    select id, ${failure.type}, ${failure.failures}, ${failure.paused_until} from webhook_endpoints
    where id = ${failure.endpoint_id}
    on conflict (endpoint_id, type) do update set failures = excluded.failures, paused_until = excluded.paused_until`
}

export async function forgetTypeFailures(sql: Sql, endpointId: string, type: string): Promise<void> {
  await sql`delete from webhook_failing_types where endpoint_id = ${endpointId} and type = ${type}`
}

export async function forgetAllTypeFailures(sql: Sql, endpointId: string): Promise<void> {
  await sql`delete from webhook_failing_types where endpoint_id = ${endpointId}`
}
