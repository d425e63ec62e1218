import type { BaseContext } from '../../platform/context.ts'
import { memoryLimits } from '../../platform/limits.ts'
import { ownLimits } from '../../platform/own-limits.ts'

/**
 * A large body is read and parsed before the keys in it can be checked. So the bytes held at once are bounded, and an
 * address whose large calls store nothing is refused before its next body is read. Counted in memory, because it
 * protects this process's memory and main thread (decision 10.5).
 */
export function createLargeCalls({ now }: Pick<BaseContext, 'now'>) {
  return { refused: memoryLimits(now), bytes: new Map<string, number>(), bytesInAll: 0 }
}

export interface LargeCalls {
  largeCalls: ReturnType<typeof createLargeCalls>
}

export type Admission = 'admitted' | 'too_many_refused' | 'overloaded'

/** After `admitted`, the caller calls `releaseLargeCall` with the same bytes when the call is over. */
export async function admitLargeCall(context: LargeCalls, address: string, bytes: number): Promise<Admission> {
  const calls = context.largeCalls
  if (await calls.refused.isUsedUp(address, ownLimits.refusedLargeCallsPerAddress)) return 'too_many_refused'
  const held = calls.bytes.get(address) ?? 0
  if (held + bytes > ownLimits.largeBytesPerAddress || calls.bytesInAll + bytes > ownLimits.largeBytesInAll)
    return 'overloaded'
  calls.bytes.set(address, held + bytes)
  calls.bytesInAll += bytes
  return 'admitted'
}

export function releaseLargeCall(context: LargeCalls, address: string, bytes: number): void {
  const calls = context.largeCalls
  const held = calls.bytes.get(address)! - bytes
  if (held === 0) calls.bytes.delete(address)
  else calls.bytes.set(address, held)
  calls.bytesInAll -= bytes
}

export async function countRefusedLargeCall(context: LargeCalls, address: string): Promise<void> {
  await context.largeCalls.refused.take(address, ownLimits.refusedLargeCallsPerAddress)
}
