import { isId } from '../../platform/secrets/identifiers.ts'

/** What a device may subscribe to: its commands and its settings. */
export type Feed = 'command' | 'config'

/** The topic of a device's telemetry; the id is spelled as in its CONNECT. */
export function telemetryTopic(deviceId: string): string {
  return `v1/devices/${deviceId}/telemetry`
}

/** Where a device reports what became of a command: the response topic of version 5. */
export function commandReportTopic(deviceId: string, commandId: string): string {
  return `v1/devices/${deviceId}/command/${commandId}`
}

/** The feed that a topic filter of this device names; `v1/device/…` is an alias that other hubs use. */
export function feedOf(filter: string, deviceId: string): Feed | null {
  const rest = restOf(filter, deviceId)
  return rest === 'command' || rest === 'config' ? rest : null
}

export type ReportTopic = { feed: 'command'; command_id: string | null } | { feed: 'config' }

/** What a PUBLISH of this device to the topic reports about; null for any other topic. */
export function reportTopicOf(topic: string, deviceId: string): ReportTopic | null {
  const rest = restOf(topic, deviceId)
  if (rest === 'config') return { feed: 'config' }
  if (rest === 'command') return { feed: 'command', command_id: null }
  if (!rest?.startsWith('command/')) return null
  const command_id = rest.slice('command/'.length)
  return isId(command_id) ? { feed: 'command', command_id: command_id.toLowerCase() } : null
}

function restOf(topic: string, deviceId: string): string | null {
  for (const start of [`v1/devices/${deviceId}/`, `v1/device/${deviceId}/`]) {
    if (topic.startsWith(start)) return topic.slice(start.length)
  }
  return null
}
