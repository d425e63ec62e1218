// What the contract (2.1, 2.3, 3, 4.1), docs/portals.md, the API document and decisions 6.6, 6.25 and 6.31 say about
// approvals, sign-in policies, requests for an approval, grants and their tokens.
import { type Match, type Verdict, verdict } from './verdict.ts'

export type PolicyKind = 'everyone' | 'administrators' | 'group'
export const policies: PolicyKind[] = ['everyone', 'administrators', 'group']

export interface Person {
  role: 'administrator' | 'member'
  active: boolean
  inGroup: boolean
}

/** What one code was exchanged for: a token, and every refresh token since. */
export interface Chain {
  access: string
  accessUntil: number
  refresh: { token: string; rotatedAt: number | null }[]
}

export interface Grant {
  chains: Chain[]
  users: Set<PersonName>
  revoked: boolean
}

export interface ApprovalRequest {
  id: string
  by: PersonName
  state: 'open' | 'approved' | 'declined' | 'closed'
  decidedAt: number
}

export interface Approvals {
  now: number
  people: Record<PersonName, Person>
  /** Whether the group of the policy exists. */
  group: boolean
  enabled: boolean
  approval: PolicyKind | null
  /** All of them; at most one is not revoked. */
  grants: Grant[]
  requests: ApprovalRequest[]
}

/** Ada stays an administrator; Bob begins as one, Cem as a member of the group, Dee as one outside. */
export const personNames = ['ada', 'bob', 'cem', 'dee'] as const
export type PersonName = (typeof personNames)[number]
export const actors = [...personNames, 'api_key', 'stranger', 'nobody'] as const
export type Actor = (typeof actors)[number]

const day = 86_400_000
export const accessMilliseconds = 3_600_000
const isPerson = (who: Actor): who is PersonName => personNames.some((name) => name === who)
const administers = ({ role, active }: Person) => active && role === 'administrator'

export const currentGrant = ({ grants }: Approvals): Grant | undefined => grants.find(({ revoked }) => !revoked)

/** Contract 4.1: who administers the customer, or whom the policy of an approval admits. */
export function mayConnect({ approval, people }: Approvals, name: PersonName): boolean {
  const person = people[name]
  if (administers(person)) return true
  if (!person.active || approval === null) return false
  return approval === 'everyone' || (approval === 'group' && person.inGroup)
}

export type Outcome = 'code' | 'access_denied' | 'consent_required' | 'interaction_required'

/** Without a screen: exactly one approved customer must be selectable; each of these people has one customer. */
export function connectingSilently(state: Approvals, name: PersonName): Outcome {
  if (!mayConnect(state, name)) return 'interaction_required'
  return state.approval === null ? 'consent_required' : 'code'
}

/** The policy counts only for a new approval. */
export function applyConnection(state: Approvals, name: PersonName, policy: PolicyKind): Grant {
  if (administers(state.people[name]) && state.approval === null) approve(state, policy)
  let grant = currentGrant(state)
  if (!grant) {
    grant = { chains: [], users: new Set(), revoked: false }
    state.grants.push(grant)
  }
  grant.users.add(name)
  return grant
}

function approve(state: Approvals, policy: PolicyKind): void {
  state.approval = policy
  for (const request of state.requests) {
    if (request.state === 'open') Object.assign(request, { state: 'approved', decidedAt: state.now })
  }
}

export const isHonoured = (state: Approvals, grant: Grant, chain: Chain): boolean =>
  !grant.revoked && state.now < chain.accessUntil

/** Contract 3: the status of the token endpoint; a replay after the grace revokes the grant. */
export function refreshing(state: Approvals, grant: Grant, refresh: Chain['refresh'][number]): number {
  if (!state.enabled) return 401
  if (grant.revoked) return 400
  if (refresh.rotatedAt === null) return 200
  if (state.now > refresh.rotatedAt + 60_000) grant.revoked = true
  return 400
}

/** The portal's own: a token or an API key must not extend its own reach. */
function judge(state: Approvals, who: Actor, status: number, rest: Record<string, boolean>): Verdict {
  const before = {
    '401': who === 'nobody',
    '403 administrators_only': isPerson(who) && !administers(state.people[who]),
    '403 portal_session_required': who === 'api_key',
  }
  return Object.values(before).some(Boolean) ? verdict(status, before) : verdict(status, rest)
}

const isUnknown = (state: Approvals, who: Actor) => who === 'stranger' || state.approval === null

export function reading(state: Approvals, who: Actor): Verdict {
  return judge(state, who, 200, { '404 not_found': isUnknown(state, who) })
}

export const listing = (state: Approvals, who: Actor): Verdict => judge(state, who, 200, {})

export function changingPolicy(
  state: Approvals,
  { who, policy, match }: { who: Actor; policy: PolicyKind; match: Match },
): Verdict {
  if (isUnknown(state, who)) return judge(state, who, 200, { '404 not_found': true })
  return judge(state, who, 200, {
    '412 changed_meanwhile': match === 'stale',
    '404 not_found': policy === 'group' && !state.group,
  })
}

/** Tokens belong to the grant and stay when a policy narrows, unless they are revoked with it. */
export function applyPolicy(state: Approvals, policy: PolicyKind, revokeTokens: boolean): 'stay' | 'revoked' | 'none' {
  state.approval = policy
  const grant = currentGrant(state)
  if (!grant) return 'none'
  grant.revoked = revokeTokens
  return revokeTokens ? 'revoked' : 'stay'
}

/** Returns whether there was a grant to revoke. */
export function applyWithdrawal(state: Approvals): boolean {
  const grant = currentGrant(state)
  if (grant) grant.revoked = true
  state.approval = null
  return grant !== undefined
}

/** The approval stays, and so does the need to connect anew. */
export function applyEnabled(state: Approvals, enabled: boolean): void {
  state.enabled = enabled
  if (enabled) return
  for (const grant of state.grants) grant.revoked = true
  for (const request of state.requests) {
    if (request.state === 'open') Object.assign(request, { state: 'closed', decidedAt: state.now })
  }
}

export type Asked = 'asked' | 'not_needed' | 'declined_lately'

/** Asking twice is asking once; a declined request can be repeated after seven days. */
export function asking(state: Approvals, name: PersonName): Asked {
  const person = state.people[name]
  if (!person.active || person.role === 'administrator' || state.approval !== null) return 'not_needed'
  const last = state.requests.findLast(({ by }) => by === name)
  const isLate = last?.state === 'declined' && state.now < last.decidedAt + 7 * day
  return isLate ? 'declined_lately' : 'asked'
}

export const openRequests = ({ requests }: Approvals): ApprovalRequest[] =>
  requests.filter(({ state }) => state === 'open')

/** A request of somebody who is deactivated waits until they are back. */
export const listedRequests = (state: Approvals): ApprovalRequest[] =>
  openRequests(state).filter(({ by }) => state.people[by].active)

export function deciding(
  state: Approvals,
  { who, request, policy }: { who: Actor; request: ApprovalRequest; policy: PolicyKind | null },
): Verdict {
  const isReplaced = state.requests.some(
    (other) => other.by === request.by && state.requests.indexOf(other) > state.requests.indexOf(request),
  )
  const unknown = who === 'stranger' || isReplaced
  return judge(state, who, policy ? 200 : 204, {
    '404 not_found': unknown || (policy === 'group' && !state.group),
    '409 already_decided': !unknown && request.state !== 'open',
  })
}

export function applyDecision(state: Approvals, request: ApprovalRequest, policy: PolicyKind | null): void {
  if (policy) approve(state, policy)
  else Object.assign(request, { state: 'declined', decidedAt: state.now })
}

export function deletingGroup(state: Approvals): Verdict {
  return verdict(204, { '409 group_in_use': state.approval === 'group' })
}
