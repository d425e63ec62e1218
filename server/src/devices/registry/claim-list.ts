import { keepSpaces } from '../../directory/organization/spaces.ts'
import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { type PartnerEvent, queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Detail, invalid } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { judgeLocked } from '../settings/settings-lists.ts'
import * as store from '../store/claim-lists.ts'
import { type CustomerOwner, lockDevices } from '../store/devices-sql.ts'
import { lockStates, setCustomerOfStates } from '../telemetry-store/telemetry-store.ts'
import { type Claim, cannotBeClaimed } from './claim.ts'
import { type Claimer, giveBackAttempt, takeAttempts } from './claim-attempts.ts'
import { judgeLines, linesTried, type Verdict } from './claim-verdicts.ts'

/** A line that is no claim at all. */
export interface InvalidLine {
  problems: Detail[]
}

export const outcomes = ['claimed', 'already_yours', 'claim_failed', 'unknown_space', 'invalid', 'not_tried'] as const

export interface LineResult {
  outcome: (typeof outcomes)[number]
  device_id?: string
  error?: string
  details?: Detail[]
}

export interface ListResult {
  results: LineResult[]
  /** When the lines that were not tried can be sent again; null when there are none. */
  retry_after_seconds: number | null
}

/**
 * Claims a list in one transaction, with one result per line, in order (decision 7.31). A line that fails costs an
 * attempt of the same budget as a single claim, counted before the failure is revealed; one that succeeds costs nothing
 * (decision 7.32).
 */
export async function claimList(
  context: Context,
  claimer: Claimer,
  lines: (Claim | InvalidLine)[],
): Promise<ListResult> {
  const results = lines.map((line) => ('problems' in line ? invalidLine(line) : notTried))
  const claims = lines.flatMap((line, index) => ('problems' in line ? [] : [toLine(line, index)]))
  if (claims.length === 0) return { results, retry_after_seconds: null }

  // Needed even if no line fails: without a free attempt, a single claim is refused too, whatever its outcome would be.
  const first = await takeAttempts(context, claimer, 1)
  if (first.granted === 0) return { results, retry_after_seconds: secondsUntil(first.retryAt, context.now()) }
  const judged = await judge(context.sql, claimer, claims)
  const wrong = judged.filter(({ verdict }) => verdict === 'fail').length
  const more = wrong === 0 ? null : await takeAttempts(context, claimer, wrong)
  const attempts = 1 + (more?.granted ?? 0)
  const tried = judged.slice(0, linesTried(judged, attempts))

  const settled = await transaction(context.sql, (sql) => claimTried(context, sql, claimer, tried))
  for (const { index, verdict } of judged) if (verdict === 'unknown_space') results[index] = unknownSpace
  for (const [index, result] of settled.results) results[index] = result
  if (wrong < attempts) await giveBackAttempt(context, first)
  // Right when they were judged, so that no guesser gains from them; counted only to be as strict as a single claim.
  if (settled.lost > 0) await takeAttempts(context, claimer, settled.lost)
  const stopped = results.some(({ outcome }) => outcome === 'not_tried')
  return { results, retry_after_seconds: stopped ? secondsUntil(more!.retryAt, context.now()) : null }
}

interface Line extends store.Identity {
  index: number
  /** The same text for the same device. */
  identity: string
  name: string | null
  space_id: string | null
}

interface JudgedLine extends Line {
  verdict: Verdict
  /** Of the device that was found. */
  id: string | undefined
}

/** Reads only. What it finds may have changed when the lines are claimed. */
async function judge(sql: Sql, owner: CustomerOwner, lines: Line[]): Promise<JudgedLine[]> {
  if (lines.length === 0) return []
  const spaces = await keepSpaces(sql, owner, spacesOf(lines))
  const known = lines.filter(({ model_id }) => isId(model_id))
  const devices = await store.findIdentified(sql, owner, known)
  const found = new Map(known.map(({ index }, n) => [index, devices[n]]))
  const verdicts = judgeLines(
    lines.map(({ identity, index, space_id }) => {
      return { identity, found: found.get(index), inOwnSpace: isRoom(space_id, owner, spaces) }
    }),
    owner.customer_id,
  )
  return lines.map((line, n) => ({ ...line, verdict: verdicts[n]!, id: found.get(line.index)?.id }))
}

/** Claims what was judged claimable and records it together with the failures. */
async function claimTried(context: Context, sql: Sql, claimer: Claimer, tried: JudgedLine[]) {
  const { customer_id } = claimer
  const by = Map.groupBy(tried, ({ verdict }) => verdict)
  const claimable = (by.get('claim') ?? []).map((line) => ({ ...line, id: line.id! }))
  const spaces = await keepSpaces(sql, claimer, spacesOf(claimable))
  const valid = claimable.filter(({ space_id }) => isRoom(space_id, claimer, spaces))
  const devices = await claimDevices(sql, valid, { customer_id, claimed_at: context.now() })
  const missed = await judge(
    sql,
    claimer,
    claimable.filter(({ id }) => !devices.has(id)),
  )
  const missedBy = Map.groupBy(missed, ({ verdict }) => verdict)
  const lost = [...(missedBy.get('fail') ?? []), ...(missedBy.get('claim') ?? [])]
  const failed = [...(by.get('fail') ?? []), ...lost]
  await record(context, sql, claimer, [...devices.values()], failed)

  const results = new Map<number, LineResult>()
  for (const { index, id } of claimable) results.set(index, { outcome: 'claimed', device_id: id })
  for (const { index, id } of [...(by.get('already_yours') ?? []), ...(missedBy.get('already_yours') ?? [])])
    results.set(index, { outcome: 'already_yours', device_id: id! })
  for (const { index } of failed) results.set(index, claimFailed)
  for (const { index } of missedBy.get('unknown_space') ?? []) results.set(index, unknownSpace)
  const first = tried.filter(({ verdict }) => verdict !== 'unknown_space' && verdict !== 'repeat')
  const earlier = new Map(first.map(({ identity, index }) => [identity, index]))
  for (const { index, identity } of by.get('repeat') ?? []) {
    const { outcome, ...rest } = results.get(earlier.get(identity)!)!
    results.set(index, { outcome: outcome === 'claimed' ? 'already_yours' : outcome, ...rest })
  }
  return { results, lost: lost.length }
}

/** Into no space, only whoever reaches everything. */
function isRoom(spaceId: string | null, { within }: CustomerOwner, spaces: Set<string>): boolean {
  return spaceId === null ? !within : spaces.has(spaceId)
}

/** Only ids: Postgres refuses to compare anything else with one. */
function spacesOf(lines: Line[]): string[] {
  const named = lines.flatMap(({ space_id }) => (space_id !== null && isId(space_id) ? [space_id] : []))
  return [...new Set(named)]
}

/** By id; without those that another claim, or a removal, was faster for. */
async function claimDevices(
  sql: Sql,
  claimable: store.Claimable[],
  by: { customer_id: string; claimed_at: Date },
): Promise<Map<string, store.ClaimedDevice>> {
  if (claimable.length === 0) return new Map()
  const ids = claimable.map(({ id }) => id)
  await lockStates(sql, ids)
  await lockDevices(sql, ids)
  const claimed = await store.claimMany(sql, claimable, by)
  const devices = new Map(claimed.map((device) => [device.id, device]))
  await setCustomerOfStates(sql, [...devices.keys()], by.customer_id)
  await judgeLocked(sql, [...devices.keys()])
  return devices
}

/** The same events as for single claims. */
async function record(
  context: Context,
  sql: Sql,
  { actor, customer_id, address }: Claimer,
  claimed: store.ClaimedDevice[],
  failed: store.Identity[],
): Promise<void> {
  const at = context.now()
  const audit: NewAuditEvent[] = []
  const events: PartnerEvent[] = []
  for (const { id, partner_id, model_id, mac, sn } of claimed) {
    const subject = { partner_id, customer_id, device_id: id }
    audit.push({ type: 'device.claimed', at, actor, ...subject, details: { model_id, mac, sn } })
    events.push({ type: 'device.claimed', at, partner_id, data: { device_id: id, model_id, mac, sn } })
  }
  for (const { model_id, mac, sn } of failed) {
    audit.push({ type: 'device.claim_failed', at, actor, customer_id, details: { model_id, mac, sn, address } })
  }
  await recordAudit(sql, ...audit)
  await queueEvent(sql, ...events)
}

function toLine(claim: Claim, index: number): Line {
  const model_id = claim.model_id.toLowerCase()
  const mac = claim.mac.toLowerCase()
  const { sn } = claim
  const space_id = claim.space_id?.toLowerCase() ?? null
  return { index, identity: `${model_id} ${mac} ${sn}`, model_id, mac, sn, name: claim.name ?? null, space_id }
}

const claimFailed: LineResult = { outcome: 'claim_failed', error: cannotBeClaimed }
const unknownSpace: LineResult = { outcome: 'unknown_space', error: 'There is no such space.' }
const notTried: LineResult = {
  outcome: 'not_tried',
  error: 'Not tried: too many lines have failed. Send this line again later.',
}

function invalidLine({ problems }: InvalidLine): LineResult {
  const { message, details } = invalid(...problems)
  return { outcome: 'invalid', error: message, details: details! }
}

function secondsUntil(instant: Date, now: Date): number {
  return Math.max(1, Math.ceil((instant.getTime() - now.getTime()) / 1000))
}
