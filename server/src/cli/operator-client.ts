import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

interface Access {
  url: string
  key: string
}

/** The service refused or could not be reached; the message is for the person at the terminal. */
export class CallFailed extends Error {
  /** What the service said, where it said something. */
  readonly response: object | undefined

  constructor(message: string, response?: object) {
    super(message)
    this.response = response
  }
}

interface AddressOptions {
  url?: string | undefined
  dataDir?: string | undefined
}

export function findDataDir(dataDir: string | undefined): string {
  return resolve(dataDir ?? (process.env.LANDBRIDGE_DATA_DIR || 'data'))
}

/** From the options, else the environment, else the data folder of a service on this machine. */
export async function findAddress({ url, dataDir }: AddressOptions): Promise<string> {
  const { env } = process
  const found =
    url ??
    (env.LANDBRIDGE_PUBLIC_URL || (await readStored(dataDir, 'address')) || `http://localhost:${env.PORT || 8080}`)
  return found.replace(/\/+$/, '')
}

/** The address and the operator key, found in the same order. */
export async function findAccess(options: AddressOptions & { key?: string | undefined }): Promise<Access> {
  const { key: given, dataDir } = options
  const key = given ?? (process.env.LANDBRIDGE_OPERATOR_KEY || (await readStored(dataDir, 'operator.key')))
  if (!key) {
    throw new CallFailed(
      `No operator key found. Pass --key, set LANDBRIDGE_OPERATOR_KEY, or name the data folder of the service with --data-dir (looked in ${findDataDir(dataDir)}).`,
    )
  }
  return { url: await findAddress(options), key }
}

async function readStored(dataDir: string | undefined, name: string): Promise<string | undefined> {
  const text = await readFile(join(findDataDir(dataDir), name), 'utf8').catch(() => undefined)
  return text?.trim()
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
  const refusal = refusalOf(text)
  const error = refusal.error ?? response.statusText
  throw new CallFailed(`${response.status}: ${error}`, { status: response.status, ...refusal, error })
}

/** Nothing, where what responded is not the service. */
function refusalOf(text: string): { error?: string } {
  try {
    const refusal = JSON.parse(text)
    return typeof refusal?.error === 'string' ? refusal : {}
  } catch {
    return {}
  }
}
