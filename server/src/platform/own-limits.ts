/**
 * Limits that the spec does not give, beside those of its section 8 in `spec-limits.ts`; docs/operate.md has them all.
 * Rates are per window of 60 s. What is counted by account, model or customer counts only what its owner can cause, so
 * that nobody can lock an owner out.
 */
export const ownLimits = {
  /** Right passwords: a wrong one has limits of its own in `directory/sign-in-limits.ts`. */
  signInsPerAccount: 60,
  /** Not for a browser that has signed in to the account before. */
  signInsPerAddress: 300,
  /** Passwords hashed at the same time on one process (19 MiB each), and how many may wait for their turn. */
  passwordsAtOnce: 2,
  passwordsWaiting: 128,
  /** Registrations that were refused with 401 or 422. */
  refusedRegistrationsPerAddress: 300,
  refusedRegistrationsPerAddressAndModel: 60,
  /** Mass calls of more than `largeBodyBytes` that stored nothing. Counted by each process for its own main thread. */
  refusedLargeCallsPerAddress: 30,
  largeBodyBytes: 64 * 1024,
  /** Claims that failed. */
  failedClaimsPerUser: 120,
  /** One budget for all API keys and tokens of a customer. */
  failedClaimsByKeysOfCustomer: 120,
  failedClaimsPerCustomer: 300,
  failedClaimsPerAddress: 600,
  /** What each person, and all keys of a customer together, keep when others have used up the shared budgets. */
  failedClaimsInReserve: 10,
  /** MQTT connections without a CONNECT: so many at all, and so many whose client has sent nothing for five seconds. */
  silentConnectionsPerAddress: 2_500,
  stalledConnectionsPerAddress: 50,
  stalledAfterMilliseconds: 5_000,
} as const
