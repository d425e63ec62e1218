// What docs/portals.md, the API document and decisions 6.9 to 6.11 say about invitations and links to set a password.
import { type Verdict, verdict } from './verdict.ts'

export type Role = 'administrator' | 'member'

export interface Person {
  email: string
  /** Null as long as nobody has created the account. */
  id: string | null
  /** In the organization of the model; null for somebody outside. */
  membership: { role: Role; active: boolean } | null
  /** Belongs to another organization or to a partner. */
  elsewhere: boolean
}

export interface Invitation {
  id: string
  email: string
  role: Role
  maker: Actor
  /** Who created its link; null without one. */
  issuer: Actor | null
  link: string | null
  expiresAt: number
  state: 'pending' | 'accepted' | 'gone'
}

export interface Reset {
  link: string
  whom: Person
  maker: Actor
  expiresAt: number
  spent: boolean
}

export interface Links {
  now: number
  people: Record<PersonName, Person>
  /** Programs whose credential stands. */
  valid: Set<Program>
  invitations: Invitation[]
  resets: Reset[]
  /** All that were ever handed out. */
  links: string[]
  maxUsers: number
}

/** Ada stays an administrator; Bob begins as one; Eve has an account elsewhere; Kim and Lee have none. */
export const personNames = ['ada', 'bob', 'eve', 'kim', 'lee'] as const
export type PersonName = (typeof personNames)[number]
export type Program = 'api_key' | 'bearer'
export const actors = ['ada', 'bob', 'eve', 'api_key', 'bearer', 'nobody'] as const
export type Actor = (typeof actors)[number]

const day = 86_400_000
export const lifetimes = { invitation: 7 * day, reset: day }

const isProgram = (who: Actor): who is Program => who === 'api_key' || who === 'bearer'
const administers = ({ membership }: Person) => membership?.role === 'administrator' && membership.active
const isPending = ({ now }: Links, { state, expiresAt }: Invitation) => state === 'pending' && now < expiresAt
export const pending = (state: Links): Invitation[] => state.invitations.filter((each) => isPending(state, each))
const isFor = (email: string) => (each: { email: string }) => each.email.toLowerCase() === email.toLowerCase()
const members = ({ people }: Links) => Object.values(people).filter(({ membership }) => membership !== null)

function judge(state: Links, who: Actor, status: number, rest: Record<string, boolean>): Verdict {
  const before = {
    '401': who === 'nobody' || (isProgram(who) && !state.valid.has(who)),
    '403 administrators_only': who in state.people && !administers(state.people[who as PersonName]),
  }
  return Object.values(before).some(Boolean) ? verdict(status, before) : verdict(status, rest)
}

/** Earlier ones of the same email that a new one replaces: a program replaces only its own. */
const replacedBy = (state: Links, who: Actor, email: string) =>
  state.invitations.filter(
    (each) => each.state === 'pending' && isFor(email)(each) && (!isProgram(who) || each.maker === who),
  )

export function inviting(
  state: Links,
  { who, email, role, views }: { who: Actor; email: string; role: Role; views: boolean },
): Verdict {
  const replaced = replacedBy(state, who, email)
  const others = pending(state).filter((each) => !replaced.includes(each))
  return judge(state, who, 201, {
    '403 administrators_protected': isProgram(who) && (role === 'administrator' || views),
    '409 already_member': members(state).some(isFor(email)),
    '409 already_invited': isProgram(who) && others.some(isFor(email)),
    '409 too_many_users': members(state).length + others.length >= state.maxUsers,
  })
}

export function applyInvitation(state: Links, invitation: Invitation): void {
  for (const each of replacedBy(state, invitation.maker, invitation.email)) each.state = 'gone'
  state.invitations.push(invitation)
  if (invitation.link) state.links.push(invitation.link)
}

const requiresSession = (state: Links, who: Actor) => isProgram(who) && state.valid.has(who)

export function creatingLink(state: Links, who: Actor, invitation: Invitation): Verdict {
  const refused = requiresSession(state, who)
  return judge(state, who, 201, {
    '403 portal_session_required': refused,
    '404 not_found': !refused && !isPending(state, invitation),
  })
}

export function withdrawing(state: Links, who: Actor, invitation: Invitation): Verdict {
  const gone = invitation.state !== 'pending'
  return judge(state, who, 204, {
    '404 not_found': gone,
    '403 administrators_protected': !gone && isProgram(who) && invitation.role === 'administrator',
  })
}

export const ofLink = (state: Links, link: string): Invitation | Reset | undefined =>
  pending(state).find((each) => each.link === link) ??
  state.resets.find((each) => each.link === link && !each.spent && state.now < each.expiresAt)

/** A page: 410 for a link that is used, expired or revoked, whichever it is. */
export const opening = (state: Links, link: string): number => (ofLink(state, link) ? 200 : 410)

/** By somebody who is not signed in: a new account for an invitation, a new password for a reset. */
export function using(state: Links, link: string): number {
  const found = ofLink(state, link)
  if (!found) return 410
  if (!('email' in found)) return isResettable(found.whom) ? 303 : 410
  return Object.values(state.people).some((person) => isFor(found.email)(person) && person.id !== null) ? 409 : 303
}

/** By somebody who is signed in. */
export function joining(state: Links, link: string, person: Person): number {
  const found = ofLink(state, link)
  if (!found || !('email' in found)) return 410
  return isFor(found.email)(person) ? 303 : 403
}

export function applyAcceptance(state: Links, link: string): { person: Person; invitation: Invitation } {
  const invitation = ofLink(state, link) as Invitation
  const person = Object.values(state.people).find(isFor(invitation.email))!
  invitation.state = 'accepted'
  person.membership ??= { role: invitation.role, active: true }
  return { person, invitation }
}

const isResettable = ({ membership, elsewhere }: Person) => membership !== null && !elsewhere

export function creatingReset(state: Links, who: Actor, whom: Person): Verdict {
  const refused = requiresSession(state, who)
  const unknown = whom.membership === null
  return judge(state, who, 201, {
    '403 portal_session_required': refused,
    '404 not_found': !refused && unknown,
    '403 belongs_elsewhere': !refused && !unknown && whom.elsewhere,
  })
}

/** Every other link of the person ends too. */
export function applyReset(state: Links, link: string): Person {
  const { whom } = ofLink(state, link) as Reset
  for (const each of state.resets) if (each.whom === whom) each.spent = true
  return whom
}

/** Their own invitations and reset links end, for good; of those of others, the links that they created. */
export function loseRight(state: Links, who: Actor): void {
  for (const each of state.invitations) {
    if (each.state !== 'pending') continue
    if (each.maker === who) each.state = 'gone'
    else if (each.issuer === who) Object.assign(each, { issuer: null, link: null })
  }
  for (const each of state.resets) if (each.maker === who) each.spent = true
}

export function changeMembership(state: Links, name: PersonName, membership: Person['membership']): void {
  const person = state.people[name]
  person.membership = membership
  if (!administers(person)) loseRight(state, name as Actor)
}
