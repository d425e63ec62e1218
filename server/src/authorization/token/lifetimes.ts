import { specLimits } from '../spec-limits.ts'

/** Contract 8 gives the refresh token's lifetime, decision 6.16 the others. */
export const accessTokenSeconds = 3_600
export const idTokenSeconds = 3_600
export const refreshTokenSeconds = specLimits.refreshTokenSeconds

export function secondsAfter(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
