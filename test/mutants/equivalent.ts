// Changes that no test can notice, each with the reason.

export interface Equivalent {
  file: string
  /** The line as it stands in the file, without the space before it. */
  line: string
  change: string
  why: string
}

export const equivalents: Equivalent[] = []
