import { generateKeyPairSync } from 'node:crypto'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Sql } from '../../../platform/database/sql.ts'
import type { Context } from '../../context.ts'
import { findPasskey, type PasskeyKey, recordPasskeyUse } from '../../store/passkeys-sql.ts'
import { type Asking, challengeEnd, spend } from './passkey-challenge.ts'
import { relyingPartyOf } from './relying-party.ts'
import { loadWebauthn } from './webauthn.ts'

/** A passkey whose signature is right; it counts once `use` has returned true, in the transaction of what it is for. */
export interface SignedPasskey {
  user_id: string
  /** amr of RFC 8176: whether the key is bound to a device or synced, and that its owner unlocked it. */
  methods: string[]
  use(sql: Sql): Promise<boolean>
}

/** Null for whatever is wrong with it: the response must not say whether a credential is known. */
export async function verifyAssertion(
  context: Context,
  host: string,
  asking: Asking,
  sent: string,
): Promise<SignedPasskey | null> {
  const relyingParty = await relyingPartyOf(context, host)
  const response = parseAssertion(sent)
  if (!relyingParty || !response) return null
  const { challenge, crossOrigin } = clientDataOf(response.response.clientDataJSON)
  const end = challenge === null ? null : challengeEnd(context, relyingParty.origin, asking, challenge)
  const known = await findPasskey(context.sql, Buffer.from(response.id, 'base64url'))
  const owned = known && known.rp_id === relyingParty.id && isOwnedBy(known, asking, response) ? known : undefined
  const key = owned ?? unknownKey()
  const { verifyAuthenticationResponse } = await loadWebauthn()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: () => true,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    credential: {
      id: response.id,
      publicKey: new Uint8Array(key.public_key),
      counter: key.counter,
    },
  }).catch(() => null)
  if (!owned || end === null || challenge === null || crossOrigin || !verified?.verified) return null
  const { newCounter: counter, credentialBackedUp: backed_up, credentialDeviceType } = verified.authenticationInfo
  return {
    user_id: owned.user_id,
    methods: [credentialDeviceType === 'singleDevice' ? 'hwk' : 'swk', 'user', 'mfa'],
    async use(sql) {
      if (!(await spend(sql, challenge, end))) return false
      return await recordPasskeyUse(sql, { id: owned.id, counter, backed_up, at: context.now() })
    },
  }
}

/**
 * The handle says whose passkey it is; without one, as an old key sends it, the person has to be known already. A
 * credential of somebody else counts as unknown.
 */
function isOwnedBy({ user_id }: PasskeyKey, asking: Asking, { response }: AuthenticationResponseJSON): boolean {
  if (asking.to !== 'sign_in' && asking.user_id !== user_id) return false
  if (!response.userHandle) return asking.to !== 'sign_in'
  return response.userHandle === userHandle(user_id)
}

export function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

const base64url = /^[\w-]{1,8192}$/

function parseAssertion(sent: string): AuthenticationResponseJSON | null {
  try {
    const { id, rawId, type, response } = JSON.parse(sent)
    const { clientDataJSON, authenticatorData, signature, userHandle } = response
    const texts = [id, rawId, clientDataJSON, authenticatorData, signature]
    if (type !== 'public-key' || !texts.every((text) => typeof text === 'string' && base64url.test(text))) return null
    if (userHandle && !(typeof userHandle === 'string' && base64url.test(userHandle))) return null
    const parts = { clientDataJSON, authenticatorData, signature, ...(userHandle ? { userHandle } : {}) }
    return { id, rawId, type, clientExtensionResults: {}, response: parts }
  } catch {
    return null
  }
}

export function clientDataOf(clientDataJSON: string): { challenge: string | null; crossOrigin: boolean } {
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    return { challenge: typeof challenge === 'string' ? challenge : null, crossOrigin: crossOrigin === true }
  } catch {
    return { challenge: null, crossOrigin: false }
  }
}

let nobody: Pick<PasskeyKey, 'public_key' | 'counter'> | undefined

/** Verified in place of an unknown one, so that both take the same time: a P-256 key as COSE (RFC 9053 section 7.1.1). */
function unknownKey(): Pick<PasskeyKey, 'public_key' | 'counter'> {
  if (nobody) return nobody
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const [head, middle] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')]
  const parts = [head, Buffer.from(x!, 'base64url'), middle, Buffer.from(y!, 'base64url')]
  nobody = { public_key: Buffer.concat(parts), counter: 0 }
  return nobody
}
