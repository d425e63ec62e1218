import { lifetimes } from '../../platform/own-limits.ts'
import { specLimits } from '../spec-limits.ts'

/** Contract 8 gives the refresh token's lifetime, decision 6.16 the others. */
export const { accessTokenSeconds, idTokenSeconds } = lifetimes
export const { refreshTokenSeconds } = specLimits

export function secondsAfter(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
