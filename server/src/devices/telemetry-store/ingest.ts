import type { Sql } from '../../platform/database/sql.ts'
import type { Ingested } from './ingest-result.ts'
import { runInLane } from './lanes.ts'
import type { MessageColumns } from './message-columns.ts'
import { storeSingly } from './store-singly.ts'
import { storeTogether } from './store-together.ts'

/** One statement authenticates, appends the history, merges the state, and returns what became of each message. */
export async function ingestMessages(sql: Sql, messages: MessageColumns): Promise<Ingested> {
  const { together, first_bucket, late } = messages
  const statement = together ? storeTogether(sql, messages, together) : storeSingly(sql, messages)
  const [row] = await runInLane(sql, first_bucket, statement, { late })
  return row
}
