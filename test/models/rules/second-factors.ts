// What decisions 6.66 and 6.68 say about second factors that an organization requires, and about resets.
import { type Verdict, verdict } from './verdict.ts'

export type Policy = 'optional' | 'administrators' | 'all'

export interface Person {
  role: 'administrator' | 'member'
  /** Days since the beginning. */
  joined: number
  promoted: number | null
  hasFactor: boolean
  /** Null: signed out. */
  session: { mfa: boolean } | null
  reset: { by: number; due: number } | null
}

export interface State {
  day: number
  administratorsSince: number | null
  allSince: number | null
  people: Person[]
}

const grace = 7

/** The day from which the person needs a second factor here; null: never. */
export function dueOf({ administratorsSince, allSince }: State, { role, joined, promoted }: Person): number | null {
  const asMember = allSince === null ? [] : [Math.max(allSince, joined)]
  const asAdministrator =
    role === 'administrator' && administratorsSince !== null ? [Math.max(administratorsSince, promoted ?? joined)] : []
  const all = [...asMember, ...asAdministrator]
  return all.length === 0 ? null : Math.min(...all) + grace
}

export function mustDo(state: State, person: Person): boolean {
  const due = dueOf(state, person)
  return due !== null && due <= state.day && !(person.hasFactor && person.session?.mfa)
}

function ofSession(state: State, who: Person) {
  const out = who.session === null
  const factor = !out && mustDo(state, who)
  return { 401: out, '403 second_factor_required': factor }
}

const passes = (state: State, who: Person) => who.session !== null && !mustDo(state, who)
const manages = (state: State, who: Person) => passes(state, who) && who.role === 'administrator'

export function reading(state: State, who: Person): Verdict {
  return verdict(200, ofSession(state, who))
}

/** What only administrators may do. */
export function managing(state: State, who: Person, status: number, more: Record<string, boolean> = {}): Verdict {
  const able = manages(state, who)
  const others = Object.fromEntries(Object.entries(more).map(([refusal, holds]) => [refusal, able && holds]))
  return verdict(status, {
    ...ofSession(state, who),
    '403 administrators_only': passes(state, who) && who.role === 'member',
    ...others,
  })
}

export function asking(state: State, who: Person, whom: Person): Verdict {
  return managing(state, who, 201, {
    '403 own_second_factors': who === whom,
    '409 no_second_factor': who !== whom && !whom.hasFactor,
    '409 reset_pending': who !== whom && whom.hasFactor && whom.reset !== null,
  })
}

export function confirming(state: State, who: Person, whom: Person): Verdict {
  const { reset } = whom
  const asker = reset && state.people[reset.by]!
  return managing(state, who, 204, {
    '404 not_found': reset === null,
    '403 own_second_factors': reset !== null && who === whom,
    '403 second_administrator_needed': reset !== null && who !== whom && asker === who,
    '409 reset_ended': reset !== null && who !== whom && asker !== who && asker!.role !== 'administrator',
  })
}

export const isLastRequired = (state: State, person: Person): boolean => dueOf(state, person) !== null

export function setPolicy(state: State, policy: Policy): void {
  const before = state.allSince !== null ? 'all' : state.administratorsSince !== null ? 'administrators' : 'optional'
  if (before === policy) return
  state.administratorsSince = policy === 'optional' ? null : (state.administratorsSince ?? state.day)
  state.allSince = policy === 'all' ? state.day : null
}

export function apply(person: Person): void {
  Object.assign(person, { hasFactor: false, session: null, reset: null })
}

/** The job: what is due is applied, unless who asked lost the role. */
export function settle(state: State): void {
  for (const person of state.people) {
    if (!person.reset || person.reset.due > state.day) continue
    if (state.people[person.reset.by]!.role === 'administrator') apply(person)
    else person.reset = null
  }
}
