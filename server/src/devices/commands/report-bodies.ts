import { requestLimits } from '../../platform/own-limits.ts'
import type { Detail } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { CommandReport } from './reports.ts'

const statuses: readonly unknown[] = ['in_progress', 'done', 'failed', 'rejected']

/** A report of a device as it came over HTTP or MQTT, or what is wrong with its form. `commandId` where the topic or path has it. */
export function readReport(body: unknown, commandId: string | null): CommandReport | Detail[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ field: 'body', message: 'must be an object with id and status' }]
  }
  const { id = commandId, status, message = null, result = null, ...others } = body as Record<string, unknown>
  const details: Detail[] = Object.keys(others).map((field) => ({ field, message: 'is not a known field' }))
  const isRight = typeof id === 'string' && isId(id) && (commandId === null || id.toLowerCase() === commandId)
  if (!isRight) details.push({ field: 'id', message: 'must be the id of the command' })
  if (!statuses.includes(status)) {
    details.push({ field: 'status', message: `must be one of ${statuses.join(', ')}` })
  }
  if (message !== null && typeof message !== 'string') details.push({ field: 'message', message: 'must be text' })
  const texts = { message, result }
  for (const [field, value] of Object.entries(texts)) {
    if (!isStorable(value)) details.push({ field, message: 'must not have U+0000 or half a surrogate pair' })
  }
  if (details.length > 0) return details.slice(0, requestLimits.namedProblems)
  return { id: (id as string).toLowerCase(), status, message, result } as CommandReport
}

/** Postgres stores neither of the two. How deep it is was bounded before it was parsed. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
