import { reportOfDevice } from '../commands/device-reports.ts'
import type { Context } from '../context.ts'
import { reportConfigOfDevice } from '../settings/device-config-reports.ts'
import { type Outcome, outcomes } from '../telemetry/outcome.ts'
import type { ReportTopic } from './device-topics.ts'
import type { ConnectedDevice } from './mqtt-connection.ts'
import type { MqttRefusal } from './mqtt-refusal.ts'

/** What became of a command or of settings, as a device publishes it. The PUBACK comes after the commit. */
export async function report(
  context: Context,
  { id: device_id, key_digest }: ConnectedDevice,
  about: ReportTopic,
  body: unknown,
): Promise<Outcome | MqttRefusal> {
  const credential = { device_id, key_digest }
  const outcome =
    about.feed === 'command'
      ? await reportOfDevice(context, credential, body, about.command_id)
      : await reportConfigOfDevice(context, credential, body)
  switch (outcome.status) {
    case 200:
      return outcomes.committed
    // Decision 7.88: it cannot become right by being sent again.
    case 404:
      return { reason: 'not_authorized', description: outcome.error, logReason: 'report_refused', final: true }
    case 409:
      return {
        reason: 'implementation_specific_error',
        description: outcome.error,
        logReason: 'report_refused',
        final: true,
      }
    case 422:
      return { reason: 'payload_format_invalid', description: outcome.error, logReason: 'report_invalid' }
    case 429:
      return outcomes.overloaded
    default:
      return outcome
  }
}
