import type { Sql } from '../../platform/database/sql.ts'
import type { Page, PageRequest } from '../../platform/http/pagination.ts'
import type { Context } from '../context.ts'
import * as store from '../store/device-notes-sql.ts'
import type { CustomerOwner, DeviceChange } from '../store/devices-sql.ts'

/** Two spellings of a word are one tag. */
export function toTag(text: string): string {
  return text.trim().toLowerCase()
}

/** Tags and note of a device whose state is locked. */
export async function changeNotes(
  sql: Sql,
  device: { customer_id: string; device_id: string },
  { tags, note }: DeviceChange,
): Promise<void> {
  if (tags !== undefined) {
    const wanted = [...new Set(tags.map(toTag))]
    await store.removeOtherTags(sql, device, wanted)
    await store.addTags(sql, device, wanted)
  }
  if (note === undefined) return
  await (note?.trim() ? store.setNote(sql, device, note.trim()) : store.deleteNote(sql, device))
}

/** The tags that devices of a customer have, in order; a page goes on behind a tag. */
export async function listTags(
  context: Context,
  owner: CustomerOwner,
  { after = '', limit = 50 }: PageRequest,
): Promise<Page<{ tag: string }>> {
  const tags = await store.listTags(context.sql, owner, after, limit + 1)
  const items = tags.slice(0, limit).map((tag) => ({ tag }))
  return { items, next: tags.length > limit ? items.at(-1)!.tag : null }
}
