import type { Session } from '../../directory/accounts/sessions.ts'
import { isRefused, judgeFactor } from '../../directory/organization/factor-judgement.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { listConsentRows, type StoredConsentRow } from '../store/consent-rows-sql.ts'
import { newAreas } from './approved-reach.ts'

export type { GroupChoice } from '../store/consent-rows-sql.ts'

export interface ConsentRow extends Omit<StoredConsentRow, keyof FactorTimes> {
  /** What the person has to do first, since the customer requires a second factor. */
  factor_step: 'set_up' | 'present' | null
}

type FactorTimes = Pick<
  StoredConsentRow,
  'administrators_since' | 'all_since' | 'joined_at' | 'administrator_since' | 'second_factor'
>

/** The customers of the person, each with what `judgeConsentRow` needs. */
export async function readConsentRows(
  sql: Sql,
  clientId: string,
  { user_id, methods }: Pick<Session, 'user_id' | 'methods'>,
  now: Date,
): Promise<ConsentRow[]> {
  const rows = await listConsentRows(sql, clientId, user_id)
  return rows.map((row) => {
    const demand = judgeFactor(row, methods)
    const step = isRefused(demand, now) ? demand!.step : 'met'
    return { ...row, factor_step: step === 'met' ? null : step }
  })
}

export type ConsentRowVerdict =
  | 'selectable'
  | 'inactive'
  | 'not_approved'
  | 'administrators_only'
  | 'not_in_group'
  | 'second_factor'

type Judged = Pick<ConsentRow, 'role' | 'active' | 'approved' | 'policy' | 'in_group' | 'factor_step'>

/** Contract 4.1: the person administers the customer, or the application is approved and the policy admits them. */
export function judgeConsentRow(row: Judged): ConsentRowVerdict {
  const verdict = judgeMembership(row)
  return verdict === 'selectable' && row.factor_step !== null ? 'second_factor' : verdict
}

function judgeMembership({ role, active, approved, policy, in_group }: Judged): ConsentRowVerdict {
  if (!active) return 'inactive'
  if (role === 'administrator') return 'selectable'
  if (!approved) return 'not_approved'
  if (policy === 'administrators') return 'administrators_only'
  if (policy === 'group' && !in_group) return 'not_in_group'
  return 'selectable'
}

/** Choosing this row approves the application for the whole customer, and does not only connect it. */
export function approvesIt(row: ConsentRow): boolean {
  return row.role === 'administrator' && row.active && !row.approved
}

/** Choosing this row decides about what the application may do: it approves it, or something that it asks for now. */
export function decidesIt(row: ConsentRow): boolean {
  return approvesIt(row) || (row.role === 'administrator' && row.active && newAreas(row).length > 0)
}

/** A member may not see the names of all spaces. */
export function mayKnowSpaces(row: ConsentRow): boolean {
  return row.role === 'administrator' && row.active
}

/** Of the spaces to which an approval is limited. */
export const namedSpacesPerRow = 3

/** How many spaces a row offers: fewer on a screen with many rows, which would become too long. */
export function spacesPerRow(rows: number): number {
  return Math.max(1, Math.min(50, Math.floor(600 / Math.max(rows, 1))))
}

export interface ArrangedRows {
  selectable: ConsentRow[]
  /** Rows that cannot be chosen, which come last. */
  others: ConsentRow[]
  /** How many more match; a search finds them. */
  more: number
}

/** A screen with more of them is no help: the person searches. */
export const maxRows = 50

/** What the screen shows: rows whose name contains the search, those that can be chosen first. */
export function arrangeRows(rows: ConsentRow[], search: string): ArrangedRows {
  const wanted = search.trim().toLowerCase()
  const matching = rows.filter(({ customer_name }) => customer_name.toLowerCase().includes(wanted))
  const { selectable = [], others = [] } = Object.groupBy(matching, (row) =>
    judgeConsentRow(row) === 'selectable' ? 'selectable' : 'others',
  )
  const shown = { selectable: selectable.slice(0, maxRows), others: others.slice(0, maxRows) }
  return { ...shown, more: matching.length - shown.selectable.length - shown.others.length }
}

export type SilentVerdict = { verdict: 'connect'; customer_id: string } | { verdict: 'error'; error: string }

/** prompt=none: nothing can be asked, so exactly one approved customer must be selectable (decision 6.6). */
export function judgeSilent(rows: ConsentRow[]): SilentVerdict {
  const selectable = rows.filter((row) => judgeConsentRow(row) === 'selectable')
  const approved = selectable.filter((row) => row.approved)
  if (approved.length === 1) return { verdict: 'connect', customer_id: approved[0]!.customer_id }
  // Consent helps only where just an approval is missing; otherwise the person has to choose, or ask for access.
  const error = selectable.length > 0 && approved.length === 0 ? 'consent_required' : 'interaction_required'
  return { verdict: 'error', error }
}
