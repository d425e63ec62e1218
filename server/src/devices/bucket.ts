/** Telemetry is spread by bucket: over the shards of a distributed database, and over hub cells (docs/scale.md). */
export const bucketCount = 1_024

/** The last bits of a device id are random (UUID version 7), so that they need no further hash. */
export function bucketOf(deviceId: string): number {
  return Number.parseInt(deviceId.slice(-3), 16) & (bucketCount - 1)
}
