import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { lifetimes, ownLimits } from '../../../platform/own-limits.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'
import type { Context } from '../../context.ts'
import * as store from '../../store/passkeys-sql.ts'
import { hasFreshProof } from '../proof.ts'
import type { Session } from '../sessions.ts'
import { clientDataOf, userHandle } from './assertion.ts'
import { addFactor, type ChangedBy, settleAddedFactor } from './factor-changes.ts'
import { type Asking, challengeEnd, newChallenge, spend } from './passkey-challenge.ts'
import { relyingPartyOf } from './relying-party.ts'
import { loadWebauthn } from './webauthn.ts'

export type { Passkey } from '../../store/passkeys-sql.ts'

export async function listPasskeys(context: Context, userId: string): Promise<store.Passkey[]> {
  return await store.listPasskeys(context.sql, userId)
}

/** EdDSA, ES256 and RS256: what authenticators have. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** What the browser gets to create a passkey; null on a host that can have none. */
export async function registrationOptions(
  context: Context,
  session: Session,
  host: string,
  rpName: string,
): Promise<PublicKeyCredentialCreationOptionsJSON | null> {
  const relyingParty = await relyingPartyOf(context, host)
  if (!relyingParty) return null
  const existing = await store.listCredentials(context.sql, session.user_id, relyingParty.id)
  const challenge = newChallenge(context, relyingParty.origin, { to: 'register', user_id: session.user_id })
  const { generateRegistrationOptions } = await loadWebauthn()
  return await generateRegistrationOptions({
    rpName,
    rpID: relyingParty.id,
    userName: session.email,
    userDisplayName: session.name,
    userID: new Uint8Array(Buffer.from(userHandle(session.user_id), 'base64url')),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: lifetimes.passkeyChallengeMilliseconds,
    attestationType: 'none',
    excludeCredentials: existing.map(toDescriptor),
    // Found without an email, and unlocked by its owner: so it is enough on its own.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
  })
}

/** What the browser gets to present a passkey: any of this domain at sign-in, else one of the person's. */
export async function requestOptions(
  context: Context,
  host: string,
  asking: Asking,
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const relyingParty = await relyingPartyOf(context, host)
  if (!relyingParty) return null
  const own = asking.to === 'sign_in' ? [] : await store.listCredentials(context.sql, asking.user_id, relyingParty.id)
  if (asking.to !== 'sign_in' && own.length === 0) return null
  return {
    challenge: newChallenge(context, relyingParty.origin, asking),
    rpId: relyingParty.id,
    userVerification: 'required',
    timeout: lifetimes.passkeyChallengeMilliseconds,
    allowCredentials: own.map((one) => ({ ...toDescriptor(one), type: 'public-key' as const })),
  }
}

function toDescriptor({ credential_id, transports }: Pick<store.PasskeyKey, 'credential_id' | 'transports'>) {
  return { id: credential_id.toString('base64url'), transports }
}

interface NewPasskey {
  host: string
  name: string
  /** What the browser returned. */
  credential: string
}

export async function registerPasskey(context: Context, by: ChangedBy, { host, name, credential }: NewPasskey) {
  const { user_id } = by.session
  if (!hasFreshProof(by.session, context.now())) return { verdict: 'proof_needed' } as const
  const verified = await verifyRegistration(context, user_id, host, credential)
  if (!verified) return { verdict: 'wrong' } as const
  const { challenge, end, ...key } = verified
  const passkey = { ...key, id: newId(), user_id, created_at: context.now() }
  return await addFactor(context, by, async (sql) => {
    const existing = await store.listPasskeys(sql, user_id)
    if (existing.length >= ownLimits.passkeysPerAccount) return { verdict: 'too_many' } as const
    const named = { ...passkey, name: name || `Passkey ${existing.length + 1}` }
    if (!(await spend(sql, challenge, end))) return { verdict: 'wrong' } as const
    if (!(await store.insertPasskey(sql, named))) return { verdict: 'wrong' } as const
    const change = { change: 'user.passkey_added', name: named.name } as const
    return { verdict: 'added', codes: await settleAddedFactor(context, sql, by, change) } as const
  })
}

async function verifyRegistration(context: Context, userId: string, host: string, sent: string) {
  const relyingParty = await relyingPartyOf(context, host)
  const response = parseRegistration(sent)
  if (!relyingParty || !response) return null
  const { challenge, crossOrigin } = clientDataOf(response.response.clientDataJSON)
  if (challenge === null || crossOrigin) return null
  const end = challengeEnd(context, relyingParty.origin, { to: 'register', user_id: userId }, challenge)
  if (end === null) return null
  const { verifyRegistrationResponse } = await loadWebauthn()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    supportedAlgorithmIDs,
  }).catch(() => ({ verified: false, registrationInfo: undefined }))
  if (!verified || !registrationInfo) return null
  const { credential, credentialBackedUp: backed_up } = registrationInfo
  return {
    ...{ challenge, end, rp_id: relyingParty.id, backed_up },
    credential_id: Buffer.from(credential.id, 'base64url'),
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: response.response.transports ?? [],
  }
}

const base64url = /^[\w-]{1,32768}$/
const transportNames = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

function parseRegistration(sent: string): RegistrationResponseJSON | null {
  try {
    const { id, rawId, type, response } = JSON.parse(sent)
    const { clientDataJSON, attestationObject, transports } = response
    const texts = [id, rawId, clientDataJSON, attestationObject]
    if (type !== 'public-key' || !texts.every((text) => typeof text === 'string' && base64url.test(text))) return null
    const known = Array.isArray(transports) ? transports.filter((name) => transportNames.has(name)).slice(0, 8) : []
    return {
      id,
      rawId,
      type,
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject, transports: known },
    }
  } catch {
    return null
  }
}
