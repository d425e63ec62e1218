import { mayHaveCommitted } from '../../platform/database/database.ts'
import { pollLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { authenticateDevice, type Credential } from '../telemetry/ingest.ts'
import { invalidMessage, type Outcome, outcomes, tooManyCalls } from '../telemetry/outcome.ts'
import { readReport } from './report-bodies.ts'

export type ReportOutcome =
  /** `next`: another command waits. */
  | { status: 200; next: boolean }
  | { status: 404 | 409; code: string; error: string }
  | typeof tooManyCalls
  | Exclude<Outcome, { status: 200 }>

/** What a device reports about a command, by whatever protocol. `commandId` where the topic has it. */
export async function reportOfDevice(
  context: Context,
  credential: Credential,
  body: unknown,
  commandId: string | null = null,
): Promise<ReportOutcome> {
  // Over MQTT the key may have been revoked since the CONNECT.
  const verdict = await authenticateDevice(context, credential)
  if (verdict.status !== 200) return verdict
  const device_id = credential.device_id.toLowerCase()
  if (!(await context.commandCalls.take(device_id, pollLimits.callsPerDevice))) return tooManyCalls
  const report = readReport(body, commandId)
  if (Array.isArray(report)) return invalidMessage(report) as ReportOutcome
  try {
    const { next } = await context.reportCommand({ device_id }, report)
    return { status: 200, next }
  } catch (error) {
    if (error instanceof Refusal) return toOutcome(error)
    context.log.error({ err: error, device_id }, 'report of a command not stored')
    return mayHaveCommitted(error) ? outcomes.unknown : outcomes.overloaded
  }
}

function toOutcome({ status, code, message: error, details = [] }: Refusal): ReportOutcome {
  if (status === 422) return { status, code: 'invalid', error, details }
  return { status: status === 404 ? 404 : 409, code, error }
}
