import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import { type Actor, recordAudit } from '../../events/audit.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { conflict, notFound, type Refusal } from '../../platform/refusal.ts'
import * as store from '../store/signing-keys-sql.ts'
import { secondsAfter } from '../token/lifetimes.ts'
import {
  isPublished,
  judgeRemoval,
  type KeyFacts,
  type KeyState,
  publishedAheadSeconds,
  publishedSince,
  publishedUntil,
  type SigningAlg,
  signingKey,
  stateOf,
} from './key-schedule.ts'

export interface SigningKeyResponse {
  kid: string
  alg: SigningAlg
  state: KeyState
  created_at: Date
  signs_from: Date
  signs_until: Date | null
  published_until: Date | null
}

type KeyContext = Pick<BaseContext, 'sql' | 'now' | 'masterKey'>

export const sealedFor = 'signing key'

/** The first process on an empty database creates one key per algorithm; a removed key is never created again. */
export async function ensureSigningKeys(context: KeyContext): Promise<void> {
  if (await store.firstKeysExist(context.sql)) return
  const at = context.now()
  const keys = await Promise.all([generate(context, 'RS256', at), generate(context, 'ES256', at)])
  await transaction(context.sql, async (sql) => {
    if (!(await store.claimFirstKeys(sql, at))) return
    for (const key of keys) await store.insertSigningKey(sql, key)
  })
}

export async function listSigningKeys(context: BaseContext): Promise<SigningKeyResponse[]> {
  const now = context.now()
  const keys = await store.listSigningKeys(context.sql)
  return keys.filter((key) => isPublished(key, now)).map((key) => describe(key, keys, now))
}

/** Every key that an unexpired id_token may be signed with. */
export async function publishedKeys(context: BaseContext & SigningKeyReader): Promise<Record<string, string>[]> {
  const now = context.now()
  const keys = await context.readSigningKeys()
  return keys.filter((key) => isPublished(key, now)).map((key) => key.public_jwk)
}

export interface SigningKeyReader {
  readSigningKeys: ReturnType<typeof createSigningKeyReader>
}

/** The same for everybody, so all who ask at the same moment share one reading. */
export function createSigningKeyReader(context: BaseContext) {
  const read = coalesceSame<null, store.SigningKey[]>(
    () => 'all',
    async () => [await store.listSigningKeys(context.hot)],
  )
  return () => read(null)
}

/** Published at once; signs once clients have had time to fetch it, or at once when no other key can sign. */
export async function addSigningKey(context: BaseContext, actor: Actor, alg: SigningAlg): Promise<SigningKeyResponse> {
  const at = context.now()
  const key = await generate(context, alg, at)
  const keys = await transaction(context.sql, async (sql) => {
    await store.lockSigningKeys(sql)
    const signer = signingKey(await store.listSigningKeys(sql), alg, at)
    const opens = await keyOpener(context, sql)
    if (signer && opens(signer)) key.signs_from = secondsAfter(at, publishedAheadSeconds)
    await store.insertSigningKey(sql, key)
    await store.updateRetirements(sql, alg, publishedSince(at))
    await recordAudit(sql, { type: 'signing_key.added', at, actor, details: { kid: key.kid, alg } })
    return await store.listSigningKeys(sql)
  })
  return describe(keys.find(({ kid }) => kid === key.kid)!, keys, at)
}

/**
 * The key stops signing, and stays published until what it signed has expired. A leaked key is unpublished at once: every
 * id_token it signed fails, and a published successor signs at once. A key that never signed is deleted.
 */
export async function removeSigningKey(
  context: BaseContext,
  actor: Actor,
  kid: string,
  { leaked }: { leaked: boolean },
): Promise<void> {
  await transaction(context.sql, async (sql) => {
    await store.lockSigningKeys(sql)
    const at = context.now()
    const keys = await store.listSigningKeys(sql)
    const verdict = judgeRemoval(keys, { kid, leaked, now: at, opens: await keyOpener(context, sql) })
    if (verdict.action === 'unknown') throw notFound('signing key')
    if (verdict.action === 'refuse') throw lastSigningKey(verdict.successor)
    const { alg } = keys.find((key) => key.kid === kid)!
    if (verdict.action === 'delete') await store.deleteSigningKey(sql, kid)
    else await store.markRemoved(sql, kid, at)
    if (verdict.promote) await store.setSignsFrom(sql, verdict.promote, at)
    await store.updateRetirements(sql, alg, publishedSince(at))
    await recordAudit(sql, { type: 'signing_key.removed', at, actor, details: { kid, alg, leaked } })
  })
}

function lastSigningKey(successor: KeyFacts | null): Refusal {
  const sentence = successor
    ? `No other key can sign yet: key ${successor.kid} signs from ${successor.signs_from.toISOString()}. Remove this key ` +
      'after that, or now with leaked=true if it leaked.'
    : 'This is the only key of its algorithm that can sign. Add another one first, and remove this one when the new one ' +
      'signs, five minutes later (at once with leaked=true if it leaked).'
  return conflict('last_signing_key', sentence)
}

/** Whether the master key can decrypt a key; one that it cannot decrypt cannot sign. */
async function keyOpener({ masterKey }: BaseContext, sql: Sql): Promise<(key: KeyFacts) => boolean> {
  const readable = new Set<string>()
  for (const { kid, private_jwk } of await store.listPrivateKeys(sql)) {
    try {
      masterKey.open(sealedFor, private_jwk)
      readable.add(kid)
    } catch {
      // Sealed with another master key.
    }
  }
  return ({ kid }) => readable.has(kid)
}

function describe(key: store.SigningKey, keys: store.SigningKey[], now: Date): SigningKeyResponse {
  const { kid, alg, created_at, signs_from, retired_at, removed_at } = key
  const ends = [retired_at, removed_at].filter((at) => at !== null).toSorted((a, b) => a.getTime() - b.getTime())
  const state = stateOf(key, keys, now)
  return { kid, alg, state, created_at, signs_from, signs_until: ends[0] ?? null, published_until: publishedUntil(key) }
}

const newKeyPair = promisify(generateKeyPair)

async function generate(context: KeyContext, alg: SigningAlg, at: Date) {
  const { publicKey, privateKey } =
    alg === 'RS256' ? await newKeyPair('rsa', { modulusLength: 2048 }) : await newKeyPair('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, string>
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    alg,
    public_jwk: { ...jwk, kid, alg, use: 'sig' },
    private_jwk: context.masterKey.seal(sealedFor, JSON.stringify(privateKey.export({ format: 'jwk' }))),
    created_at: at,
    signs_from: at,
    retired_at: null,
    removed_at: null,
  }
}
