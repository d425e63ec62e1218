import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Lab } from '../../lab.ts'
import { findAddress, findDataDir } from '../operator-client.ts'
import { declarationOf } from './declarations.ts'
import { type KindName, kinds } from './kinds.ts'
import { ApiError, callApi, PortalSession } from './portal-session.ts'

export interface ModelKey {
  id: string
  hardware_key: string
}

type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<unknown>

/** The service to simulate against, and what may be done there. */
export interface Target {
  entryUrl: string
  models: Record<KindName, ModelKey>
  /** The partner API, to remove devices; null without access to it. */
  partner: Call | null
  /** The organization API, to claim devices; null without access to it. */
  organization: Call | null
}

export interface TargetOptions {
  url?: string | undefined
  dataDir?: string | undefined
  model?: string | undefined
  hardwareKeyFile?: string | undefined
}

/** With --model, any service; otherwise the lab of the data folder, with a model per kind. */
export async function findTarget(options: TargetOptions, wanted: readonly KindName[]): Promise<Target> {
  const { env } = process
  const url = await findAddress(options)
  const entryUrl = env.LANDBRIDGE_ENTRY_URL || url
  if (options.model === undefined) return await findLab(url, entryUrl, options, wanted)
  const key = { id: options.model, hardware_key: await readHardwareKey(options.hardwareKeyFile) }
  const withKey = (api: string, authorization: string | undefined): Call | null =>
    authorization
      ? (method, path, body) => callApi(`${url}/core/v1/${api}${path}`, method, body, { authorization })
      : null
  return {
    entryUrl,
    models: { display: key, thermostat: key, amplifier: key, meter: key },
    partner: withKey('partner', env.LANDBRIDGE_PARTNER_KEY),
    organization: withKey('organization', env.LANDBRIDGE_ORGANIZATION_KEY),
  }
}

/** Never an argument: those are seen by everyone on the machine. */
async function readHardwareKey(file: string | undefined): Promise<string> {
  const key = file === undefined ? process.env.LANDBRIDGE_HARDWARE_KEY : await readFile(file, 'utf8')
  if (key?.trim()) return key.trim()
  throw new Error('--model needs its hardware key: set LANDBRIDGE_HARDWARE_KEY, or pass --hardware-key-file <path>.')
}

async function findLab(
  url: string,
  entryUrl: string,
  { dataDir }: TargetOptions,
  wanted: readonly KindName[],
): Promise<Target> {
  const file = join(findDataDir(dataDir), 'lab.json')
  const stored = await readFile(file, 'utf8').catch(() => null)
  if (stored === null) {
    throw new Error(
      `There is no lab in ${file}. Start the service with "npm start", name its data folder with --data-dir, or pass --url, --model and a hardware key.`,
    )
  }
  const lab = JSON.parse(stored) as Lab
  const signIn = () =>
    PortalSession.signIn(url, lab.email, lab.password).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message : error.message
      throw new Error(`The lab at ${url} cannot be used (${cause}). Is the service running? Start it with "npm start".`)
    })
  let session = await signIn()
  const callAs = (api: string, as: Record<string, string>): Call => {
    return async (method, path, body, headers) => {
      const call = () => session.call(method, `/core/v1/${api}${path}`, body, { ...as, ...headers })
      return await call().catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 401) throw error
        // A simulation may outlast its session.
        session = await signIn()
        return await call()
      })
    }
  }
  const partner = callAs('partner', { 'landbridge-partner': lab.partner_id })
  return {
    entryUrl,
    models: await modelsOf(partner, wanted),
    partner,
    organization: callAs('organization', { 'landbridge-customer': lab.customer_id }),
  }
}

/** One model per kind, by its name; created by the first simulation. */
async function modelsOf(partner: Call, wanted: readonly KindName[]): Promise<Record<KindName, ModelKey>> {
  const existing = new Map<string, string>()
  for (let after = ''; ; ) {
    const page = (await partner('GET', `/models?limit=100${after}`)) as {
      items: { id: string; name: string }[]
      next: string | null
    }
    for (const { id, name } of page.items) existing.set(name, id)
    if (page.next === null) break
    after = `&after=${encodeURIComponent(page.next)}`
  }
  const found = wanted.map(async (kind): Promise<[KindName, ModelKey]> => {
    const { model: name } = kinds[kind]
    const id = existing.get(name)
    if (id === undefined) {
      const created = await createModel(partner, name)
      await declare(partner, created.id, kind)
      return [kind, created]
    }
    await declare(partner, id, kind)
    const { items } = (await partner('GET', `/models/${id}/hardware-keys`)) as {
      items: { hardware_key: string; revoked_at: string | null }[]
    }
    const key = items.find(({ revoked_at }) => revoked_at === null)
    if (!key)
      throw new Error(`The model "${name}" has no hardware key that is not revoked. Add one in the partner portal.`)
    return [kind, { id, hardware_key: key.hardware_key }]
  })
  return Object.fromEntries(await Promise.all(found)) as Record<KindName, ModelKey>
}

/** What its devices obey; left alone where somebody declared something else. */
async function declare(partner: Call, modelId: string, kind: KindName): Promise<void> {
  const { commands, settable } = declarationOf(kind)
  const declared = (await partner('GET', `/models/${modelId}/commands`)) as { commands: unknown[] }
  if (declared.commands.length === 0) await partner('PUT', `/models/${modelId}/commands`, { commands })
  const { data_points } = (await partner('GET', `/models/${modelId}/dictionary`)) as { data_points: unknown[] }
  if (data_points.length === 0 && settable.length > 0)
    await partner('PUT', `/models/${modelId}/dictionary`, { data_points: settable })
}

/** Two simulations that start together share one model: the second call with the key gets the response of the first. */
async function createModel(partner: Call, name: string): Promise<ModelKey> {
  const body = { name, authentication_method: 'MAC & Serial Number' }
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (await partner('POST', '/models', body, { 'idempotency-key': `simulate ${name}` })) as ModelKey
    } catch (error) {
      const isUnderWay = error instanceof ApiError && error.status === 409
      if (!isUnderWay || attempt === 50) throw error
      await wait(200)
    }
  }
}
