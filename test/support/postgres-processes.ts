// The processes of a Postgres on this machine, to be killed or frozen.
import { readdirSync, readFileSync } from 'node:fs'

export function postmasterOn(port: string): number {
  const found = findPostmaster(port)
  if (!found) throw new Error('no postmaster')
  return found
}

export function isRunning(port: string): boolean {
  return findPostmaster(port) !== undefined
}

export function findPostmaster(port: string): number | undefined {
  return processIds().find((pid) => {
    const command = commandOf(pid)
    return command[0]?.endsWith('postgres') && command[command.indexOf('-p') + 1] === port
  })
}

/** The postmaster, and what it has started. */
export function postgresOn(port: string): number[] {
  const postmaster = postmasterOn(port)
  const isChild = (pid: number) => Number(/PPid:\s+(\d+)/.exec(readStatus(pid))?.[1]) === postmaster
  return [postmaster, ...processIds().filter(isChild)]
}

/** Those that serve a client, and none while Postgres is starting. */
export function backendsOn(port: string): number[] {
  return isRunning(port) ? postgresOn(port).filter((pid) => /^postgres: .+\(\d+\) /.test(commandOf(pid)[0] ?? '')) : []
}

function processIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
