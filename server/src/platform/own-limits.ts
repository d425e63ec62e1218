/**
 * Limits beside those of the contract (`authorization/spec-limits.ts`); docs/operate.md lists them all. Rates are per window of 60 s.
 * Counters per account, model or customer count only what their owner can cause, so that nobody can lock an owner out.
 */
export const ownLimits = {
  /** Correct passwords; wrong ones have other limits. */
  signInsPerAccount: 60,
  /** Not for a browser that has signed in to the account before. */
  signInsPerAddress: 300,
  /** Open at once; a further one ends the one that was not used for longest. */
  sessionsPerAccount: 100,
  /** Links to set a new password, unused; a further one ends the oldest. */
  passwordResetsPerAccount: 20,
  /** Passwords hashed at once by one process (19 MiB each), and how many may wait. */
  passwordsAtOnce: 2,
  passwordsWaiting: 128,
  /** Registrations that were refused with 401 or 422. */
  refusedRegistrationsPerAddress: 300,
  refusedRegistrationsPerAddressAndModel: 60,
  /** Registrations that succeed, unless LANDBRIDGE_REGISTRATIONS_PER_KEY says otherwise. */
  registrationsPerKey: 6_000,
  /** Calls of more than `largeBodyBytes` that stored nothing. Counted per process, to protect its main thread. */
  refusedLargeCallsPerAddress: 30,
  largeBodyBytes: 64 * 1024,
  /** Operator and API keys that are wrong; right ones are not counted. */
  wrongKeysPerAddress: 60,
  /** Sent to one webhook because somebody asked for it. */
  testEventsPerWebhook: 60,
  /** Statements of one tenant that wait for their turn; a page of the portal has about ten, and many people may open one. */
  readsWaitingPerTenant: 200,
  /** Claims that failed. */
  failedClaimsPerUser: 120,
  /** One budget for all API keys and tokens of a customer. */
  failedClaimsByKeysOfCustomer: 120,
  failedClaimsPerCustomer: 300,
  failedClaimsPerAddress: 600,
  /** Left to each person, and to all keys of a customer together, when others have used up the shared budgets. */
  failedClaimsInReserve: 10,
  /** Requests to administrators to approve an application. */
  approvalRequestsPerUser: 10,
  /** Not yet decided, of one member in one organization. */
  openApprovalRequests: 5,
  /** After a declined request, before the member may ask for the same application again. */
  askAgainAfterMilliseconds: 7 * 86_400_000,
  /** Checks of a domain that a partner asks for: each is a look-up in DNS. */
  domainChecksPerPartner: 10,
  /** MQTT connections without a CONNECT: in total, and of clients that have sent nothing for five seconds. */
  silentConnectionsPerAddress: 2_500,
  stalledConnectionsPerAddress: 50,
  stalledAfterMilliseconds: 5_000,
  /** Of one MQTT connection; a packet counts once more for every 4 KiB. Other packets, and refused messages too. */
  mqttMessagesPerSecond: 1_000,
  mqttMessagesAtOnce: 2_000,
  mqttOtherPacketsPerSecond: 20,
  mqttOtherPacketsAtOnce: 200,
} as const

/**
 * Calls per minute of the organization and the partner API, unless LANDBRIDGE_RATES says otherwise (decision 10.23).
 * A credential is an application at one organization, an API key, or a person who is signed in.
 */
export const defaultRates = {
  organization: 6_000,
  partner: 6_000,
  credential: 3_000,
}

/** Left to each person who is signed in when programs have used up the rate of their organization or partner. */
export const callsInReserve = 600

/** How many of each thing there may be, unless LANDBRIDGE_QUOTAS says otherwise (decision 10.24). */
export const defaultQuotas = {
  // Of an organization.
  groups: 1_000,
  spaces: 20_000,
  /** Spaces within each other. */
  levels: 32,
  /** Members and pending invitations. */
  users: 10_000,
  views: 50,
  // Of an organization or a partner.
  api_keys: 100,
  // Of a partner.
  models: 500,
  applications: 100,
  webhooks: 20,
  /** People and pending invitations. */
  members: 500,
  // Of a model.
  hardware_keys: 100,
}

export type RateName = keyof typeof defaultRates
export type QuotaName = keyof typeof defaultQuotas
