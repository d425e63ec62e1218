import { keepSpaces } from '../../directory/organization/spaces.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { found, notFound, Refusal } from '../../platform/refusal.ts'
import { cancelWaiting } from '../commands/cancel-commands.ts'
import type { Context } from '../context.ts'
import { disconnectDevices } from '../live/connections.ts'
import { publishDevices, publishMoves } from '../live/live-publishing.ts'
import { liveTopics } from '../live/topics.ts'
import { judgeLocked } from '../settings/settings-lists.ts'
import * as store from '../store/devices-sql.ts'
import { mergeState, type State } from '../telemetry/state.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { type Device, withDetail } from './device-details.ts'
import { changeNotes } from './device-notes.ts'

export type { CustomerOwner, DeviceChange, EffectiveStatus, Owner } from '../store/devices-sql.ts'
export type { Device } from './device-details.ts'

export interface DeviceWithState extends Device {
  state: State
}

/** Another owner's device and a removed one are reported as unknown. */
export async function getDevice(context: Context, owner: store.Owner, id: string): Promise<DeviceWithState> {
  const device = await store.findDevice(context.sql, owner, id)
  const state = device && (await telemetry.findState(context.sql, id))
  if (!device || !state) throw notFound('device')
  return { ...(await withDetail(context.sql, owner, device)), state: mergeState(state) }
}

/** The fields of the ETag: only what a person can change, or every telemetry message would fail an If-Match. */
export function changeable({ id, name, space_id, tags, note }: store.DeviceRow): object {
  return { id, name, space_id, tags, note }
}

/** What a customer may say about its device: null removes the name, the space or the note. */
export async function changeDevice(
  context: Context,
  actor: Actor,
  owner: store.CustomerOwner,
  id: string,
  change: store.DeviceChange,
  ifMatch?: string,
): Promise<Device> {
  const { customer_id } = owner
  return await withDevice(context, owner, id, async (sql, device) => {
    requireMatch(ifMatch, changeable(device))
    if (change.space_id !== undefined) await requireRoomIn(sql, owner, change.space_id)
    const at = context.now()
    await store.updateDevice(sql, id, change, at)
    await changeNotes(sql, { customer_id, device_id: id }, change)
    const changed = await withDetail(sql, owner, (await store.findDevice(sql, owner, id))!)
    const details = { sn: changed.sn, name: changed.name, fields: Object.keys(change) }
    await recordAudit(sql, { type: 'device.changed', at, actor, customer_id, device_id: id, details })
    if (changed.space_id !== device.space_id) {
      await publishMoves(context, sql, customer_id, [device])
      await judgeLocked(sql, [id])
    }
    return changed
  })
}

/** Whoever reaches some spaces only puts a device into one of these: out of all spaces, they would not reach it any more. */
async function requireRoomIn(sql: Sql, owner: store.CustomerOwner, spaceId: string | null): Promise<void> {
  if (spaceId !== null) {
    if (!(await keepSpaces(sql, owner, [spaceId])).has(spaceId)) throw notFound('space')
  } else if (owner.within) {
    throw new Refusal(403, 'not_permitted', 'You can move the device to another space of yours, not out of all spaces.')
  }
}

/** Its credentials are revoked at once, on every process; its history is kept until retention. */
export async function removeDevice(context: Context, actor: Actor, owner: store.Owner, id: string): Promise<void> {
  await withDevice(context, owner, id, (sql, device) => removeLocked(context, sql, actor, [device]))
}

/** Removes devices whose states are locked. */
export async function removeLocked(
  context: Context,
  sql: Sql,
  actor: Actor,
  devices: store.DeviceRow[],
): Promise<void> {
  const at = context.now()
  const ids = devices.map(({ id }) => id)
  const claimed = devices.flatMap(({ id, customer_id }) =>
    customer_id === null ? [] : [{ customer_id, device_id: id }],
  )
  await telemetry.markStatesRemoved(sql, ids, at)
  await telemetry.deleteDeadlines(sql, ids)
  await telemetry.deleteSettings(sql, ids)
  await cancelWaiting(context, sql, actor, ids)
  await store.lockDevices(sql, ids)
  await store.markRemoved(sql, ids, at)
  await disconnectDevices(context, sql, 'removed', ids)
  if (claimed.length > 0) await publishDevices(context, sql, liveTopics.status, claimed)
  await recordAudit(
    sql,
    ...devices.map((device) => ({ type: 'device.removed' as const, at, actor, ...subject(device) })),
  )
  const events = devices.map(({ id, partner_id, model_id, mac, sn }) => {
    return { type: 'device.removed' as const, at, partner_id, data: { device_id: id, model_id, mac, sn } }
  })
  await queueEvent(sql, ...events)
}

/** Decision 7.3: for an hour the device may register again; it keeps its id and history and gets a new key. */
export async function openReplaceWindow(
  context: Context,
  actor: Actor,
  owner: store.Owner,
  id: string,
): Promise<{ replace_until: Date }> {
  const at = context.now()
  const until = new Date(at.getTime() + lifetimes.replaceWindowMilliseconds)
  await withDevice(context, owner, id, async (sql, device) => {
    await telemetry.openWindow(sql, id, until)
    await recordAudit(sql, { type: 'device.replace_opened', at, actor, ...subject(device) })
  })
  return { replace_until: until }
}

/** Runs with the device locked; ownership is checked before the lock is taken, and again under it. */
async function withDevice<T>(
  context: Context,
  owner: store.Owner,
  id: string,
  work: (sql: Sql, device: store.DeviceRow) => Promise<T>,
): Promise<T> {
  return await transaction(context.sql, async (sql) => {
    if (!(await store.findDevice(sql, owner, id)) || !(await telemetry.lockState(sql, id))) throw notFound('device')
    return await work(sql, found(await store.findDevice(sql, owner, id), 'device'))
  })
}

/** With the name it has now, since nothing else keeps the name of a removed device. */
function subject({ id, partner_id, customer_id, model_id, mac, sn, name }: store.DeviceRow) {
  return { partner_id, customer_id: customer_id ?? undefined, device_id: id, details: { model_id, mac, sn, name } }
}
