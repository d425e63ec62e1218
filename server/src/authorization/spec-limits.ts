/** Every number of contract 8, once: all are of the authorization server. Times are in seconds, rates in requests per window of 60 s. */
export const specLimits = {
  stateCharacters: 512,
  nonceCharacters: 512,
  authorizationCodeSeconds: 60,
  refreshTokenSeconds: 90 * 24 * 60 * 60,
  refreshGraceSeconds: 60,
  tokenRequestsPerAddress: 60,
  tokenRequestsPerClient: 300,
  revocationRequestsPerAddress: 60,
  userinfoRequestsPerAddress: 120,
  discoveryRequestsPerAddress: 120,
  keySetRequestsPerAddress: 120,
} as const
