import { findOwnerName } from '../../directory/names.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { asAttachment, fileName } from '../../platform/http/file-name.ts'
import type { Context } from '../context.ts'

interface Export {
  actor: Actor
  owner: { customer_id: string } | { partner_id: string } | { operator: true }
  what: 'devices' | 'history' | 'audit log'
  extension: 'csv' | 'jsonl'
  device_id?: string
  /** What is asked for: filters, a range, or how many were chosen. */
  details?: Record<string, unknown>
  /** Parts of the file's name behind the organization's; what is exported and today, unless told otherwise. */
  name?: string[]
}

/**
 * Records the export and returns its Content-Disposition. Call it when the first rows are read and the response is about
 * to begin: an export that is aborted has given data away too.
 */
export async function beginExport(
  context: Context,
  { actor, owner, what, extension, ...more }: Export,
): Promise<string> {
  const at = context.now()
  const { operator: _, ...ids } = { operator: true, ...owner }
  const asked = Object.entries(more.details ?? {}).filter(([, value]) => value !== undefined)
  const details = {
    what,
    format: extension,
    ...Object.fromEntries(asked.map(([name, value]) => [name, written(value)])),
  }
  await recordAudit(context.sql, { type: 'data.exported', at, actor, ...ids, device_id: more.device_id, details })
  const name = more.name ?? [what, day(at)]
  return asAttachment(fileName([await findOwnerName(context, owner), ...name], extension))
}

export function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}

function written(value: unknown): string | number | boolean | string[] {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.slice(0, 100).map(String)
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}
