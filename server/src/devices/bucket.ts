import { newId } from '../platform/secrets/identifiers.ts'

/** Telemetry is spread by bucket: over the shards of a distributed database, and over hub cells (docs/scale.md). */
export const bucketCount = 1_024

/** The last bits of a device id are random (UUID version 7), so that they need no further hash. */
export function bucketOf(deviceId: string): number {
  return Number.parseInt(deviceId.slice(-3), 16) & (bucketCount - 1)
}

/** A new id in the same bucket as a device, so that the id alone says where its row is. */
export function newIdBeside(deviceId: string): string {
  const id = newId()
  const last = (Number.parseInt(id.slice(-3), 16) & ~(bucketCount - 1)) | bucketOf(deviceId)
  return id.slice(0, -3) + last.toString(16).padStart(3, '0')
}
