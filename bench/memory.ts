import { execFileSync } from 'node:child_process'

/** Resident memory of a process, in bytes. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

export function toMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`
}
