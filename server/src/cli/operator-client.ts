import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export interface Access {
  url: string
  key: string
}

/** The service said no, or nothing: the message is for the person at the terminal. */
export class Refused extends Error {}

/** What the flags say, else the environment, else the data folder of a service on this machine. */
export async function findAccess(flags: {
  url?: string | undefined
  key?: string | undefined
  dataDir?: string | undefined
}): Promise<Access> {
  const { env } = process
  const dataDir = resolve(flags.dataDir ?? (env.LANDBRIDGE_DATA_DIR || 'data'))
  const kept = (name: string) =>
    readFile(join(dataDir, name), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    )
  const url =
    flags.url ?? (env.LANDBRIDGE_PUBLIC_URL || (await kept('address')) || `http://localhost:${env.PORT || 8080}`)
  const key = flags.key ?? (env.LANDBRIDGE_OPERATOR_KEY || (await kept('operator.key')))
  if (!key) {
    throw new Refused(
      `There is no operator key: give --key, set LANDBRIDGE_OPERATOR_KEY, or name the service's data folder with --data-dir (looked in ${dataDir}).`,
    )
  }
  return { url: url.replace(/\/+$/, ''), key }
}

export async function callOperator(access: Access, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${access.url}/core/v1/operator${path}`, {
    method,
    headers: { authorization: access.key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(30_000),
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message
    throw new Refused(`${access.url} does not answer (${cause}). Is the service running? --url names another.`)
  })
  const text = await response.text()
  if (response.ok) return text ? JSON.parse(text) : null
  throw new Refused(`${response.status}: ${sentenceOf(text) ?? response.statusText}`)
}

function sentenceOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error
  } catch {
    return undefined
  }
}
