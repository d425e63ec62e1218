import type { Context } from '../context.ts'
import { newestFirst, type Page, type PageRequest, toPage } from '../platform/http/pagination.ts'
import { adviceFor } from './failure-reasons.ts'
import { type FailureFilter, type FailureRow, listFailures } from './store/failures.ts'

export interface ExplainedFailure extends FailureRow {
  advice: string
}

/** What the partner's engineer asks: which request, what the client was told, why really, and what to do. */
export async function readIntegrationLog(
  context: Context,
  partnerId: string,
  filter: FailureFilter,
  request: PageRequest,
): Promise<Page<ExplainedFailure>> {
  const range = newestFirst(request)
  const rows = await listFailures(context.sql, partnerId, filter, range)
  const explained = rows.map((row) => ({ ...row, advice: adviceFor(row.reason) }))
  return toPage(explained, range, ({ id }) => id)
}
