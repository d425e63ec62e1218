/** What the documents allow as a response. Where several refusals fit, they do not say which comes first. */
export interface Verdict {
  /** Of the success. */
  status: number
  /** `403 administrators_only`; without any, the call succeeds. */
  refusals: string[]
}

/** The success, unless one of the conditions holds. */
export function verdict(status: number, refusals: Record<string, boolean>): Verdict {
  const held = Object.entries(refusals).filter(([, holds]) => holds)
  return { status, refusals: held.map(([refusal]) => refusal) }
}

/** What If-Match carries: nothing, the ETag that was read last, an older one, or any version. */
export const matches = ['none', 'current', 'stale', 'any'] as const
export type Match = (typeof matches)[number]
