// Everything that a history must keep to, from the documents alone: nothing here imports the service.
import { commandViolations } from './command-rules.ts'
import { createModel, type DeviceState, deviceModel } from './device-model.ts'
import { type GrantState, grantModel } from './grant-model.ts'
import {
  type AnyCall,
  type CreateCall,
  callsOf,
  type DeviceCall,
  type GrantCall,
  type History,
  type InvitationCall,
  isUnknown,
  type Violation,
} from './history.ts'
import { type InvitationState, invitationModel } from './invitation-model.ts'
import { linearize, type Model, shortest } from './linearizable.ts'
import { liveViolations } from './live-rules.ts'
import { telemetryViolations } from './telemetry-rules.ts'
import { webhookViolations } from './webhook-rules.ts'

export interface Verdict {
  violations: Violation[]
  /** Keys whose search was given up: too many orders. */
  undecided: number
}

/** Reads whose outcome nobody knows say nothing. */
const reads = new Set(['use', 'look', 'list', 'state', 'pages', 'check', 'orders'])

export function check(history: History): Verdict {
  const calls = history.calls.filter((call) => !(isUnknown(call) && reads.has(call.kind)))
  const known = { ...history, calls }
  const verdict: Verdict = { violations: [], undecided: 0 }
  const grants = callsOf(
    known,
    'authorize',
    'exchange',
    'refresh',
    'revoke',
    'use',
    'withdraw',
    'narrow',
    'disable',
    'enable',
  )
  requireOrder<GrantCall, GrantState>('a grant', grantModel, grants, verdict)
  const devices = callsOf(known, 'register', 'contact', 'claim', 'remove', 'look')
  requireOrder<DeviceCall, DeviceState>('a device', deviceModel, devices, verdict)
  requireOrder<CreateCall, { id: string | null }>(
    'an idempotency key',
    createModel,
    callsOf(known, 'create', 'list'),
    verdict,
  )
  const invitations = callsOf(known, 'invite', 'relink', 'accept', 'uninvite')
  requireOrder<InvitationCall, InvitationState>('an invitation', invitationModel, invitations, verdict)
  verdict.violations.push(...telemetryViolations(known), ...commandViolations(known), ...toCome(known))
  return verdict
}

/** Rules that hold in the end: what is missing may still be under way. */
export function toCome(history: History): Violation[] {
  return [...webhookViolations(history), ...liveViolations(history)]
}

function requireOrder<Op extends AnyCall, State>(
  what: string,
  model: Model<State, Op>,
  calls: Op[],
  verdict: Verdict,
): void {
  for (const [key, ofKey] of Map.groupBy(calls, ({ key }) => key)) {
    const result = linearize(model, ofKey)
    if (result === 'undecided') verdict.undecided += 1
    if (result !== 'not linearizable') continue
    const sentence = `${ofKey.length} calls about ${key} have no order that the contract allows`
    verdict.violations.push({
      rule: `${what} is linearizable`,
      sentence,
      calls: withOrigins(shortest(model, ofKey), ofKey),
    })
  }
}

/** With the calls that returned what these were given, so that a reader knows where it came from. */
function withOrigins(calls: AnyCall[], all: AnyCall[]): AnyCall[] {
  const given = new Set(calls.flatMap(({ input }) => Object.values(input)))
  const origins = all.filter(({ ok }) =>
    Object.values(ok ?? {}).some((value) => typeof value === 'string' && given.has(value)),
  )
  const shown = all.filter((call) => calls.includes(call) || origins.includes(call))
  return shown.length === calls.length ? calls : withOrigins(shown, all)
}
