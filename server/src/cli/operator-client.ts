import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

interface Access {
  url: string
  key: string
}

/** The service refused or could not be reached; the message is for the person at the terminal. */
class CallFailed extends Error {}

/** From the options, else the environment, else the data folder of a service on this machine. */
export async function findAccess(options: {
  url?: string | undefined
  key?: string | undefined
  dataDir?: string | undefined
}): Promise<Access> {
  const { env } = process
  const dataDir = resolve(options.dataDir ?? (env.LANDBRIDGE_DATA_DIR || 'data'))
  const readStored = (name: string) =>
    readFile(join(dataDir, name), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    )
  const url =
    options.url ??
    (env.LANDBRIDGE_PUBLIC_URL || (await readStored('address')) || `http://localhost:${env.PORT || 8080}`)
  const key = options.key ?? (env.LANDBRIDGE_OPERATOR_KEY || (await readStored('operator.key')))
  if (!key) {
    throw new CallFailed(
      `No operator key found. Pass --key, set LANDBRIDGE_OPERATOR_KEY, or name the data folder of the service with --data-dir (looked in ${dataDir}).`,
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
    throw new CallFailed(
      `Cannot reach ${access.url} (${cause}). Is the service running? Use --url for another address.`,
    )
  })
  const text = await response.text()
  if (response.ok) return text ? JSON.parse(text) : null
  throw new CallFailed(`${response.status}: ${sentenceOf(text) ?? response.statusText}`)
}

function sentenceOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error
  } catch {
    return undefined
  }
}
