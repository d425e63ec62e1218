/**
 * What an operator, a partner or a device can run into, besides the limits of the contract (`authorization/spec-limits.ts`):
 * the tables of docs/operate.md have them all, and a test compares the two. Lengths of single fields are in their
 * schemas, and so in the OpenAPI document; budgets that nobody outside notices are beside the code that keeps them.
 */

const kib = 1024
const mib = 1024 * kib
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * Rates are per window of 60 s. Counters per account, model or customer count only what their owner can cause, so that
 * nobody can lock an owner out.
 */
export const ownLimits = {
  /** Each stores a row, so one address must not be able to fill the database (decision 10.4). */
  authorizationRequestsPerAddress: 600,
  /** Bounds the codes and audit events that repeating one decision can create (decision 6.15). */
  decisionsPerRequest: 10,
  /** After this many wrong verifiers a code can no longer be used: the caller does not have the right one (decision 6.20). */
  wrongVerifiersPerCode: 5,
  /** Correct passwords; wrong ones have other limits. */
  signInsPerAccount: 60,
  /** Not for a browser that has signed in to the account before. */
  signInsPerAddress: 300,
  /** Open at once; a further one ends the one that was not used for longest. */
  sessionsPerAccount: 100,
  passkeysPerAccount: 20,
  /** Links to set a new password, unused; a further one ends the oldest. */
  passwordResetsPerAccount: 20,
  /** Passwords hashed at once by one process (19 MiB each), and how many may wait. */
  passwordsAtOnce: 2,
  passwordsWaiting: 128,
  /** New passwords judged at once by one process: most take 10 ms, the worst a third of a second. */
  judgedPasswordsWaiting: 32,
  /** Passwords that somebody chooses; each is judged. */
  chosenPasswordsPerAddress: 60,
  /** Registrations that were refused with 401 or 422. */
  refusedRegistrationsPerAddress: 300,
  refusedRegistrationsPerAddressAndModel: 60,
  /** Registrations that succeed, unless LANDBRIDGE_REGISTRATIONS_PER_KEY says otherwise. */
  registrationsPerKey: 6_000,
  /** Calls of more than `largeBodyBytes` that stored nothing. Counted per process, to protect its main thread. */
  refusedLargeCallsPerAddress: 30,
  largeBodyBytes: 64 * kib,
  /** Bytes of large bodies that one process holds at the same time. */
  largeBytesPerAddress: 64 * mib,
  largeBytesInAll: 256 * mib,
  /** Operator and API keys that are wrong; right ones are not counted. */
  wrongKeysPerAddress: 60,
  /** Sent to one webhook because somebody asked for it. */
  testEventsPerWebhook: 60,
  /** Statements of one tenant that wait for their turn; a page of the portal has about ten, and many people may open one. */
  readsWaitingPerTenant: 200,
  /** Statements and exports of one tenant at once; the latter hold a page of rows each. */
  readsPerTenant: 2,
  exportsPerTenant: 2,
  readWaitSeconds: 10,
  /** A read that takes longer is refused (`platform/gated-reads.ts`). */
  readSeconds: 20,
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
  askAgainAfterMilliseconds: 7 * day,
  /** Checks of a domain that a partner asks for: each is a look-up in DNS. */
  domainChecksPerPartner: 10,
  domainCheckMilliseconds: 5_000,
} as const

/** What people ask to be sent, within an hour (`directory/accounts/hourly-limits.ts`), and tries of one code. */
export const askedMailLimits = {
  windowMilliseconds: 1 * hour,
  codesPerAccount: 5,
  codesPerAddress: 30,
  triesPerCode: 5,
  /** Below what a recipient is sent, so that a flood of them keeps no other mail away (decision 6.56). */
  forgottenPasswordsPerAccount: 3,
  forgottenPasswordsPerAddress: 30,
} as const

/** Wrong passwords (`directory/accounts/sign-in-limits.ts`). */
export const signInLimits = {
  windowMilliseconds: 10 * minute,
  accountAndAddress: 10,
  accountAndAddressUnderAttack: 3,
  account: 100,
  address: 100,
} as const

/** Wrong codes of an app and wrong recovery codes; only who has the password, or a session, can cause them (decision 6.61). */
export const secondFactorLimits = { windowMilliseconds: 5 * minute, tries: 5 } as const

/** A request that is larger or slower than any real one is cut off early. */
export const requestLimits = {
  headerBytes: 16 * kib,
  headersMilliseconds: 10_000,
  wholeMilliseconds: 30_000,
  /** Without a byte; and between two requests. */
  silentMilliseconds: 60_000,
  keepAliveMilliseconds: 75_000,
  /** Of the APIs, where a route has no other. */
  bodyBytes: 256 * kib,
  formBytes: 64 * kib,
  /** Room for a thousand spaces, so that a sentence says how many can be chosen. */
  consentFormBytes: 128 * kib,
  /** Several times the longest valid registration. */
  registrationBytes: 16 * kib,
  /** Room for a thousand lines with long names and serial numbers. */
  listBytes: 1 * mib,
  /** Fields that a refusal names, so that its size does not grow with the request. */
  namedProblems: 20,
} as const

/** Bounds of a JSON text's shape, well above the largest real body: 1,000 items of 500 members each, four levels deep. */
export const jsonLimits = {
  depth: 16,
  members: 2_000,
  containers: 20_000,
  values: 1_000_000,
  escapedNames: 10_000,
} as const

/** Decisions 7.5 and 7.6. */
export const messageLimits = {
  bytes: 128 * kib,
  keys: 500,
  keyCharacters: 128,
  stringBytes: 1_024,
  messageIdCharacters: 64,
  oldestMilliseconds: 7 * day,
  aheadMilliseconds: 10 * minute,
  /** Of a device in all (decision 7.7). */
  dataPoints: 2_000,
  /** Removed ones that a late message could still bring back (decision 7.99). */
  removedDataPoints: 2_000,
} as const

/** Of one process: what waits for its commit (decisions 7.29 and 7.30). */
export const ingestLimits = { messages: 20_000, characters: 64 * mib, messagesPerDevice: 5_000 } as const

export const massLimits = { bytes: 8 * mib, devices: 1_000 } as const

export const mqttLimits = {
  /** For the TLS handshake: enough for thousands of devices that reconnect at once after a restart. */
  handshakeMilliseconds: 30_000,
  /** From the handshake to CONNECT, which a client sends at once. */
  connectMilliseconds: 10_000,
  /** Connections without a CONNECT: in total, and of clients that have sent nothing for five seconds. */
  silentPerAddress: 2_500,
  stalledPerAddress: 50,
  stalledAfterMilliseconds: 5_000,
  /** A CONNECT with its will, which comes before the credentials are known and is kept while the connection is open. */
  connectBytes: 16 * kib,
  /** Of one connection; a packet counts once more for every so many bytes. Other packets, and refused messages too. */
  messagesPerSecond: 1_000,
  messagesAtOnce: 2_000,
  otherPacketsPerSecond: 20,
  otherPacketsAtOnce: 200,
  countedBytes: 4 * kib,
  /** Of a packet, with room for the topic and the properties; and the least that a client may allow us: our CONNACK has 28. */
  packetBytes: messageLimits.bytes + 4 * kib,
  leastPacketBytes: 32,
  /** Replies a client has not read before we stop reading from it. */
  unreadBytes: 64 * kib,
  /** Messages of one connection that wait for their commit: the receive maximum of version 5. Beyond it nothing is read. */
  inFlight: 64,
  connectionsPerProcess: 50_000,
} as const

/** Live streams of the organization API. */
export const streamLimits = {
  perCustomer: 200,
  perProcess: 5_000,
  /** A client that leaves more unread, or reads nothing for so long, is cut off, and resumes from its last event. */
  unreadBytes: 1 * mib,
  stallMilliseconds: 10_000,
} as const

/** In one call, and what is counted for one. */
export const listLimits = {
  claims: 1_000,
  changedDevices: 1_000,
  importedPaths: 1_000,
  /** Of all paths together, each space counted once: it bounds how long the tree is locked. */
  importedSpaces: 5_000,
  /** As many devices are sorted without an index, and counted one by one. */
  sortedDevices: 10_000,
  /** Counting stops here, so that an overview costs the same for a million devices as for a hundred thousand. */
  countedDevices: 100_000,
  /** Decision 7.45: what one chart of a space may read, and the intervals of one of few devices. */
  chartedDevices: 5_000,
  chartedValues: 100_000,
  chartedIntervals: 200,
  /** From which a chart of a space is chosen. */
  chartedDataPoints: 100,
} as const

/** Of a model's data dictionary: decision 7.37. */
export const dictionaryLimits = {
  bytes: 256 * kib,
  dataPoints: 200,
  values: 50,
  chart: 20,
  /** A copy of what is an alarm is part of each state, which every message rewrites; what is larger has no record of when one began. */
  alarmBytes: 2_000,
} as const

/** Of commands to devices (decision 7.82). */
export const commandLimits = {
  /** That are queued, sent or in progress. */
  waitingPerDevice: 20,
  perDevice: 60,
  parameterBytes: 16 * kib,
  /** What a device reports. */
  messageBytes: 1_024,
  resultBytes: 16 * kib,
  devicesPerCall: 1_000,
  ofModel: 100,
  parametersOfCommand: 20,
  valuesOfParameter: 50,
  /** How long a read may wait for the next change. */
  waitSeconds: 25,
} as const

/** What a customer may want of one device, and so what the device is sent; and changes at the device within a minute. */
export const settingLimits = { keys: 200, bytes: 16 * kib, changesPerDevice: 60 } as const

/** How devices ask for their commands and report them (decisions 7.87 and 7.89). */
export const pollLimits = {
  /** Polls and reports of one device within a minute, on one process. */
  callsPerDevice: 600,
  /** That wait on one process. */
  waiting: 50_000,
  reportBytes: 64 * kib,
  /** Over a partner's fleet: in one response, and polls that wait on one process. */
  fleetCommands: 100,
  waitingPerPartner: 20,
} as const

/** What one thing may have. */
export const partLimits = {
  tagsPerDevice: 20,
  spacesOfPermission: 100,
  redirectUrisPerApplication: 50,
  logoBytes: 128 * kib,
} as const

export const webhookLimits = {
  attemptMilliseconds: 15_000,
  responseBytes: 64 * kib,
  /** The delay triples with every failure (5 s, 15 s, 45 s … 8 h); a day after the first attempt it ends. */
  firstDelaySeconds: 5,
  maxDelaySeconds: 8 * 3600,
  giveUpAfterSeconds: 24 * 3600,
  /** An endpoint that accepted nothing for this long is disabled, so that a dead address is not called for ever. */
  disabledAfterSeconds: 24 * 3600,
} as const

/** Deliveries under way at once on one process (`events/store/webhook-claims.ts` says what each means). */
export const deliverySlots = {
  total: 128,
  spare: 128,
  perPartner: 16,
  perEndpoint: 6,
  perType: 4,
  byPerson: 2,
} as const

/** Of mails (`events/mail/`). */
export const mailLimits = {
  /** Taken within an hour; as many more are recorded as dropped. */
  perRecipientAndKind: 10,
  windowMilliseconds: 1 * hour,
  /** A mail whose link or code does not expire earlier. */
  usefulMilliseconds: 1 * day,
  /** On one process. */
  atOnce: 5,
  /** To reach the mail server and agree on TLS; without a byte from it; and of an attempt in all. */
  connectMilliseconds: 15_000,
  silentMilliseconds: 60_000,
  attemptMilliseconds: 120_000,
  /** After attempts that failed because of the server rather than the mail; doubled each time. */
  firstPauseMilliseconds: 1_000,
  longestPauseMilliseconds: 30_000,
  testsPerMinute: 10,
} as const

/** How long something is valid. */
export const lifetimes = {
  /** Decision 6.16; contract 8 gives the refresh token's. */
  accessTokenSeconds: 3_600,
  idTokenSeconds: 3_600,
  /** Time enough to sign in, find out which organization to choose, and decide (decision 6.15). */
  authorizationRequestMilliseconds: 15 * minute,
  /** Without a request, and in all, unless LANDBRIDGE_SESSION_IDLE_HOURS and LANDBRIDGE_SESSION_DAYS say otherwise. */
  idleSessionMilliseconds: 12 * hour,
  sessionMilliseconds: 7 * day,
  /** How long a person who has confirmed their identity may change what protects the account (decision 6.59). */
  proofMilliseconds: 10 * minute,
  /** Between a right password and the second factor. */
  secondFactorMilliseconds: 10 * minute,
  /** Of a page that asks for a passkey, from being sent until the passkey has signed. */
  passkeyChallengeMilliseconds: 30 * minute,
  /** In which a person sets up the second factor that their organization requires (decision 6.66). */
  secondFactorGraceMilliseconds: 7 * day,
  /** Before the factors of a person are reset, unless a second administrator confirms it (decision 6.68). */
  factorResetMilliseconds: 24 * hour,
  invitationMilliseconds: 7 * day,
  passwordResetMilliseconds: 1 * day,
  /** Asked for by the person: as long as no further one is sent (decision 6.56). */
  forgottenPasswordMilliseconds: 1 * hour,
  emailCodeMilliseconds: 15 * minute,
  /** In which new hardware may register as a device that exists (decision 7.3). */
  replaceWindowMilliseconds: 1 * hour,
  /** Decision 6.51: how far ahead an API key may expire, when that is announced, and how long it is listed afterwards. */
  apiKeyMilliseconds: 1_830 * day,
  apiKeyExpiryAnnouncedMilliseconds: 14 * day,
  expiredApiKeyMilliseconds: 30 * day,
  /** Of a client secret, a webhook's secret or an API key that was replaced, unless told otherwise, and at most. */
  previousSecretSeconds: 24 * 3600,
  maxPreviousSecretSeconds: 30 * 24 * 3600,
  /** A verification ends when its record was missing for so long; a lack of answers has more time, since it proves nothing. */
  missingRecordMilliseconds: 7 * day,
  unprovenRecordMilliseconds: 30 * day,
} as const

/** How long something is stored that is neither telemetry nor audit, which have settings. */
export const storedFor = {
  idempotentResponseMilliseconds: 1 * day,
  webhookDeliveryMilliseconds: 14 * day,
  mailMilliseconds: 14 * day,
  commandMilliseconds: 90 * day,
  integrationFailureMilliseconds: 14 * day,
  /** Of each subject and reason, so that a flood of one failure cannot push out another. */
  failuresPerKind: 100,
  reachedLimitMilliseconds: 30 * day,
} as const

/** While the database is away or slow: callers want a 503 rather than an endless wait. */
export const databaseLimits = {
  /** A busy server may be slow to connect to, and without a second host there is nothing better to do than wait. */
  connectMilliseconds: 2_000,
  connectToOnlyHostMilliseconds: 4_000,
  /** For a free connection; `readSeconds` for reads that grow. */
  waitSeconds: 4,
  /** A statement of telemetry, tokens and access checks, of other requests, and of background jobs. */
  hotStatementSeconds: 3,
  statementSeconds: 5,
  jobStatementSeconds: 30,
  /** A server with statements in flight is probed after this long without a response; a silent one is probed as often. */
  suspiciousMilliseconds: 1_000,
  probeMilliseconds: 1_500,
  /** A balancer asks often and must not wait: a database that takes longer is not ready to serve. */
  readyMilliseconds: 2_000,
  /** Before the next attempt to listen for notifications; each pause is twice as long as the one before. */
  firstPauseMilliseconds: 200,
  longestPauseMilliseconds: 5_000,
} as const

/** Of processes under a supervisor. */
export const processLimits = {
  /** Counted in pings rather than in time, so that a machine that was suspended kills nobody. */
  silentSeconds: 30,
  /** A process that lived this long has not failed at its start. */
  steadySeconds: 30,
  firstPauseMilliseconds: 500,
  longestPauseMilliseconds: 30_000,
  /** After the drain: closing all that a process has open takes less; one that takes longer hangs. */
  stopSeconds: 60,
  /** Time for callers with an idle connection to use it once more, and be told to open the next one elsewhere. */
  retireSeconds: 5,
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
  setting_templates: 200,
  // Of an organization or a partner.
  api_keys: 100,
  // Of a partner.
  models: 500,
  applications: 100,
  /** That wait for the operator, or were refused. */
  application_requests: 10,
  webhooks: 20,
  /** People and pending invitations. */
  members: 500,
  // Of a model.
  hardware_keys: 100,
}

export type RateName = keyof typeof defaultRates
export type QuotaName = keyof typeof defaultQuotas
