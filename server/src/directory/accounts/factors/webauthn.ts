/** Loaded by the first passkey that comes: it brings 300 modules, a tenth of what a start computes. */
export async function loadWebauthn() {
  return await import('@simplewebauthn/server')
}
