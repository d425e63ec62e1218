import type { Logger } from 'pino'

/** The service cannot start, for a reason that the person at the console can fix: printed as one line, without a stack. */
export class StartFailure extends Error {}

const diskProblems: Partial<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'it is not permitted',
  EROFS: 'the disk is read-only',
}

/** One sentence for what the person at the console can fix; undefined for a fault of ours, which needs its stack. */
export function fixableProblem(error: unknown): string | undefined {
  if (error instanceof StartFailure) return error.message
  const { code = '', path } = error as Partial<NodeJS.ErrnoException>
  const problem = diskProblems[code]
  return path && problem && `Cannot use ${path}: ${problem}. Fix that, or set LANDBRIDGE_DATA_DIR to another folder.`
}

export function reportFailedStart(error: unknown, log: Logger): void {
  const problem = fixableProblem(error)
  if (problem) console.error(problem)
  else log.fatal({ err: error }, 'cannot start')
}
