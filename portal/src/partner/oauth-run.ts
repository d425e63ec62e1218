/** One run through the flow. It survives the visit to the consent screen, in this tab only. */
export interface Run {
  partnerId: string
  clientId: string
  secret: string
  scope: string
  verifier: string
  challenge: string
  state: string
  nonce: string
  redirectUri: string
  authorizeUrl: string
}

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token?: string
  expires_in: number
  scope: string
}

const storageKey = 'landbridge.playground'

export function storeRun(run: Run): void {
  sessionStorage.setItem(storageKey, JSON.stringify(run))
}

export function storedRun(): Run | null {
  const text = sessionStorage.getItem(storageKey)
  return text ? (JSON.parse(text) as Run) : null
}

export function clearRun(): void {
  sessionStorage.removeItem(storageKey)
}

interface Plan {
  partnerId: string
  clientId: string
  secret: string
  scope: string
  authorizationEndpoint: string
}

/** RFC 7636: the verifier is 32 random bytes, the challenge its SHA-256. */
export async function planRun({ authorizationEndpoint, ...plan }: Plan): Promise<Run> {
  const verifier = random(32)
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
  const redirectUri = playgroundAddress()
  const state = random(16)
  const nonce = random(16)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: plan.clientId,
    redirect_uri: redirectUri,
    ...(plan.scope ? { scope: plan.scope } : {}),
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return { ...plan, verifier, challenge, state, nonce, redirectUri, authorizeUrl: `${authorizationEndpoint}?${query}` }
}

/** The same for all partners, so that one redirect URI is enough. */
export function playgroundAddress(): string {
  return `${location.origin}/partner/playground`
}

export function claimsOf(idToken: string): string {
  const payload = idToken.split('.')[1] ?? ''
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2)
}

function random(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
