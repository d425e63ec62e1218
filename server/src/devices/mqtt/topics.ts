/** The only topic a device may use: its own. */
export function telemetryTopic(deviceId: string): string {
  return `v1/devices/${deviceId}/telemetry`
}
