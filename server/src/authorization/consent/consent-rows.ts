import type { Seat } from '../store/consent-rows.ts'

export type { Seat } from '../store/consent-rows.ts'

export type SeatVerdict = 'selectable' | 'inactive' | 'not_approved' | 'administrators_only' | 'not_in_group'

type Judged = Pick<Seat, 'role' | 'active' | 'approved' | 'policy' | 'in_group'>

/** Spec 4.1: the person administers the customer, or the application is approved there and the policy admits them. */
export function judgeSeat({ role, active, approved, policy, in_group }: Judged): SeatVerdict {
  if (!active) return 'inactive'
  if (role === 'administrator') return 'selectable'
  if (!approved) return 'not_approved'
  if (policy === 'administrators') return 'administrators_only'
  if (policy === 'group' && !in_group) return 'not_in_group'
  return 'selectable'
}

export type SilentVerdict = { verdict: 'connect'; customer_id: string } | { verdict: 'error'; error: string }

/** prompt=none: nothing may be asked, so there must be exactly one approved row to choose (design section 6). */
export function judgeSilent(seats: Seat[]): SilentVerdict {
  const selectable = seats.filter((seat) => judgeSeat(seat) === 'selectable')
  const approved = selectable.filter((seat) => seat.approved)
  if (approved.length === 1) return { verdict: 'connect', customer_id: approved[0]!.customer_id }
  // To approve is to consent; to choose between several, or to be told why there is nothing, is an interaction.
  const error = selectable.length > 0 && approved.length === 0 ? 'consent_required' : 'interaction_required'
  return { verdict: 'error', error }
}
