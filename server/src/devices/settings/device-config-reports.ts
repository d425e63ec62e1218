import { mayHaveCommitted } from '../../platform/database/database.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { authenticateDevice, type Credential } from '../telemetry/ingest.ts'
import { type Outcome, outcomes } from '../telemetry/outcome.ts'
import { reportConfig } from './settings-reports.ts'

export type ConfigReportOutcome = Outcome | { status: 409; code: string; error: string }

/** What a device says about its settings over MQTT, as a value. The key may have been revoked since the CONNECT. */
export async function reportConfigOfDevice(
  context: Context,
  credential: Credential,
  body: unknown,
): Promise<ConfigReportOutcome> {
  const verdict = await authenticateDevice(context, credential)
  if (verdict.status !== 200) return verdict
  const { device_id } = credential
  try {
    await reportConfig(context, { device_id }, body)
    return outcomes.committed
  } catch (error) {
    if (error instanceof Refusal) return toOutcome(error)
    context.log.error({ err: error, device_id }, 'report of settings not stored')
    return mayHaveCommitted(error) ? outcomes.unknown : outcomes.overloaded
  }
}

function toOutcome({ status, code, message: error, details = [] }: Refusal): ConfigReportOutcome {
  if (status === 410) return outcomes.removed
  return status === 422 ? { status, code: 'invalid', error, details } : { status: 409, code, error }
}
