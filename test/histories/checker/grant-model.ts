// Contract 2.1, 2.3, 3 and 8: codes, tokens, grants and approvals of one application at one customer.
import type { GrantCall } from './history.ts'
import type { Model } from './linearizable.ts'

/** Between which instants something happened. Open for ever: null. */
type Between = [number, number | null]

export interface GrantState {
  enabled: boolean
  approved: boolean
  policy: 'everyone' | 'administrators'
  /** Which grant it is: a revoked one never comes back. */
  grant: number
  active: boolean
  codes: Record<string, { grant: number; used: boolean; issued: Between }>
  refresh: Record<string, { grant: number; rotated: Between | null }>
  access: Record<string, { grant: number; issued: Between }>
}

const seconds = 1_000
const codeLife = 60 * seconds
const grace = 60 * seconds
const accessLife = 3_600 * seconds
/** Time is the database's, and a process follows it to within this much. */
const slack = 5 * seconds

/** When they are refused: a refused refresh may be a replay, which ends the grant. */
const harmless = new Set(['authorize', 'exchange', 'withdraw', 'narrow'])

export const grantModel: Model<GrantState, GrantCall> = {
  changesNothing: ({ kind, refused }) => kind === 'use' || (refused !== null && harmless.has(kind)),
  initial: {
    enabled: true,
    approved: false,
    policy: 'everyone',
    grant: 0,
    active: false,
    codes: {},
    refresh: {},
    access: {},
  },
  step(state, call) {
    // The limits of section 8: nothing happened.
    if (call.refused === 'too_many') return [state]
    if (call.refused === 'invalid_client') return state.enabled ? [] : [state]
    switch (call.kind) {
      case 'authorize':
        return authorize(state, call)
      case 'exchange':
        return exchange(state, call)
      case 'refresh':
        return refresh(state, call)
      case 'revoke':
        return revoke(state, call)
      case 'use':
        return use(state, call)
      case 'withdraw':
        if (call.refused) return state.approved ? [] : [state]
        return state.approved ? [{ ...state, approved: false, active: false }] : []
      case 'narrow':
        if (call.refused) return state.approved ? [] : [state]
        return state.approved ? [narrowed(state, call.input)] : []
      case 'disable':
        return [{ ...state, enabled: false, active: false }]
      case 'enable':
        return [{ ...state, enabled: true }]
    }
  },
}

type CallOf<Kind> = Extract<GrantCall, { kind: Kind }>

function isActive({ grant, active }: GrantState, of: number | undefined): boolean {
  return active && of === grant
}

function narrowed(state: GrantState, { policy, revoke_tokens }: CallOf<'narrow'>['input']): GrantState {
  return { ...state, policy, active: state.active && !revoke_tokens }
}

/** The least and the most time from something that happened until this call. */
function gap([from, to]: Between, { invoked, returned }: { invoked: number; returned: number | null }) {
  return {
    least: to === null ? 0 : Math.max(0, invoked - to),
    most: returned === null ? Number.POSITIVE_INFINITY : returned - from,
  }
}

function mayConnect({ approved, policy }: GrantState, as: CallOf<'authorize'>['input']['as']): boolean {
  return as === 'administrator' || (approved && policy === 'everyone')
}

function authorize(state: GrantState, call: CallOf<'authorize'>): GrantState[] {
  const may = state.enabled && mayConnect(state, call.input.as)
  if (call.refused) return may ? [] : [state]
  if (!may) return []
  const grant = state.active ? state.grant : state.grant + 1
  const codes = call.ok
    ? { ...state.codes, [call.ok.code]: { grant, used: false, issued: [call.invoked, call.returned] as Between } }
    : state.codes
  const policy = state.approved ? state.policy : 'everyone'
  return [{ ...state, codes, policy, grant, active: true, approved: true }]
}

function use(state: GrantState, call: CallOf<'use'>): GrantState[] {
  const token = state.access[call.input.token]
  const valid = isActive(state, token?.grant)
  const age = token ? gap(token.issued, call) : { least: 0, most: 0 }
  if (call.refused) return valid && age.most < accessLife - slack ? [] : [state]
  return valid && age.least <= accessLife + slack ? [state] : []
}

function exchange(state: GrantState, call: CallOf<'exchange'>): GrantState[] {
  const code = state.codes[call.input.code]
  const valid = code && !code.used && isActive(state, code.grant) && state.enabled
  const age = code ? gap(code.issued, call) : { least: 0, most: 0 }
  if (call.refused) return valid && age.most < codeLife - slack ? [] : [state]
  if (!valid || age.least > codeLife + slack) return []
  const used = { ...state, codes: { ...state.codes, [call.input.code]: { ...code, used: true } } }
  return [withTokens(used, call)]
}

function withTokens(state: GrantState, call: CallOf<'exchange' | 'refresh'>): GrantState {
  const { ok: tokens, invoked, returned } = call
  if (!tokens) return state
  const { grant } = state
  return {
    ...state,
    access: { ...state.access, [tokens.access]: { grant, issued: [invoked, returned] } },
    refresh: { ...state.refresh, [tokens.refresh]: { grant, rotated: null } },
  }
}

function refresh(state: GrantState, call: CallOf<'refresh'>): GrantState[] {
  const token = state.refresh[call.input.token]
  if (!token || !isActive(state, token.grant)) return call.ok ? [] : [state]
  if (!token.rotated) {
    if (call.refused || !state.enabled) return []
    const rotated: Between = [call.invoked, call.returned]
    const next = { ...state, refresh: { ...state.refresh, [call.input.token]: { ...token, rotated } } }
    return [withTokens(next, call)]
  }
  if (call.ok) return []
  const { least, most } = gap(token.rotated, call)
  const outcomes: GrantState[] = []
  if (least <= grace + slack) outcomes.push(state)
  if (most >= grace - slack) outcomes.push({ ...state, active: false })
  return outcomes
}

function revoke(state: GrantState, call: CallOf<'revoke'>): GrantState[] {
  const { token } = call.input
  const refreshToken = state.refresh[token]
  if (call.refused) return []
  if (!isActive(state, refreshToken?.grant ?? state.access[token]?.grant)) return [state]
  const ended = { ...state, active: false }
  // Of a refresh token that was rotated the contract says nothing.
  return refreshToken?.rotated ? [state, ended] : [ended]
}
