import { specLimits } from '../../platform/spec-limits.ts'

/** Lifetimes the spec leaves open, beside those it gives. In seconds. */
export const accessTokenSeconds = 3_600
export const idTokenSeconds = 3_600
export const refreshTokenSeconds = specLimits.refreshTokenSeconds

export function secondsAfter(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
