import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import * as limits from './own-limits.ts'

const manual = await readFile(new URL('../../../docs/operate.md', import.meta.url), 'utf8')
const sections = manual.split(/^##+ /m)
const sectionOf = (title: string) => sections.find((text) => text.startsWith(`${title}\n`))!
const besides = sectionOf('Limits in force').split('Besides these')[1]!
const quotas = sectionOf('Rates and quotas of tenants')
const tables = [sectionOf('Two ways to run it'), sectionOf('Several processes'), besides].join('\n')

const groups = limits as unknown as Record<string, Record<string, number>>

/** The rows of its tables, by what they are about. */
const rows = new Map(
  [...tables.matchAll(/^\| (?!what \||when \||while )(.+?) \| (.+) \|$/gm)].map(([, what, text]) => [what!, text!]),
)

/** Which limits a row is about. */
const expected: Record<string, string[]> = {
  'connecting to a host': ['databaseLimits.connectMilliseconds', 'databaseLimits.connectToOnlyHostMilliseconds'],
  'waiting for a free connection': ['databaseLimits.waitSeconds', 'ownLimits.readSeconds'],
  'one statement (`statement_timeout`)': [
    ...['databaseLimits.hotStatementSeconds', 'databaseLimits.statementSeconds', 'ownLimits.readSeconds'],
    'databaseLimits.jobStatementSeconds',
  ],
  'a server that returns nothing': ['databaseLimits.suspiciousMilliseconds', 'databaseLimits.probeMilliseconds'],
  callers: [],
  '`/readyz`': ['databaseLimits.readyMilliseconds'],
  'live updates': ['databaseLimits.firstPauseMilliseconds', 'databaseLimits.longestPauseMilliseconds'],
  'a process dies, or does not respond for a while': [
    ...['processLimits.silentSeconds', 'processLimits.steadySeconds'],
    ...['processLimits.firstPauseMilliseconds', 'processLimits.longestPauseMilliseconds'],
  ],
  'the supervisor dies': [],
  'SIGTERM, SIGINT': ['processLimits.stopSeconds'],
  'SIGHUP (`systemctl reload landbridge`)': ['processLimits.retireSeconds'],
  'wrong operator and API keys': ['ownLimits.wrongKeysPerAddress'],
  'reads that grow with their tenant (lists, counts, histories, exports)': [
    ...['ownLimits.readsPerTenant', 'ownLimits.readsWaitingPerTenant', 'ownLimits.readWaitSeconds'],
    ...['ownLimits.exportsPerTenant', 'ownLimits.readSeconds'],
  ],
  'live streams': all('streamLimits'),
  'authorization endpoint': [
    ...['ownLimits.authorizationRequestsPerAddress', 'ownLimits.decisionsPerRequest'],
    'ownLimits.wrongVerifiersPerCode',
  ],
  'codes and links that people have sent to themselves': all('askedMailLimits'),
  'wrong passwords': all('signInLimits'),
  'right passwords': ['ownLimits.signInsPerAccount', 'ownLimits.signInsPerAddress'],
  'passwords that people choose': ['ownLimits.chosenPasswordsPerAddress', 'ownLimits.judgedPasswordsWaiting'],
  'wrong codes of an authenticator app, and wrong recovery codes': all('secondFactorLimits'),
  'passwords hashed on one process': ['ownLimits.passwordsAtOnce', 'ownLimits.passwordsWaiting'],
  'registrations that succeed': ['ownLimits.registrationsPerKey'],
  'registrations that are refused': [
    ...['ownLimits.refusedRegistrationsPerAddressAndModel', 'ownLimits.refusedRegistrationsPerAddress'],
  ],
  'large mass telemetry': [
    ...['ownLimits.largeBodyBytes', 'ownLimits.refusedLargeCallsPerAddress'],
    ...['ownLimits.largeBytesPerAddress', 'ownLimits.largeBytesInAll'],
  ],
  'requests to approve an application': [
    ...['ownLimits.approvalRequestsPerUser', 'ownLimits.openApprovalRequests', 'ownLimits.askAgainAfterMilliseconds'],
  ],
  'checks of a domain that a partner asks for': [
    ...['ownLimits.domainChecksPerPartner', 'ownLimits.domainCheckMilliseconds'],
  ],
  'failed claims, single or lines of a list': [
    ...['ownLimits.failedClaimsPerUser', 'ownLimits.failedClaimsByKeysOfCustomer', 'ownLimits.failedClaimsPerCustomer'],
    ...['ownLimits.failedClaimsPerAddress', 'ownLimits.failedClaimsInReserve'],
  ],
  'MQTT connections': [
    ...['mqttLimits.connectionsPerProcess', 'mqttLimits.connectMilliseconds', 'mqttLimits.handshakeMilliseconds'],
    ...['mqttLimits.stalledPerAddress', 'mqttLimits.stalledAfterMilliseconds', 'mqttLimits.silentPerAddress'],
  ],
  'packets of one MQTT connection': [
    ...['mqttLimits.messagesPerSecond', 'mqttLimits.messagesAtOnce', 'mqttLimits.otherPacketsPerSecond'],
    ...['mqttLimits.otherPacketsAtOnce', 'mqttLimits.countedBytes', 'mqttLimits.inFlight', 'mqttLimits.unreadBytes'],
    ...['mqttLimits.packetBytes', 'mqttLimits.connectBytes', 'mqttLimits.leastPacketBytes'],
  ],
  'sessions of one person': ['ownLimits.sessionsPerAccount', 'ownLimits.passwordResetsPerAccount'],
  'passkeys of one person': ['ownLimits.passkeysPerAccount'],
  'test events of one webhook': ['ownLimits.testEventsPerWebhook'],
  'a delivery to a webhook': all('webhookLimits'),
  'deliveries at once, on one process': all('deliverySlots'),
  'mails to one recipient': [
    ...['mailLimits.perRecipientAndKind', 'mailLimits.windowMilliseconds', 'mailLimits.usefulMilliseconds'],
  ],
  'an attempt to send a mail': [
    ...['mailLimits.connectMilliseconds', 'mailLimits.silentMilliseconds', 'mailLimits.attemptMilliseconds'],
    ...['mailLimits.atOnce', 'mailLimits.firstPauseMilliseconds', 'mailLimits.longestPauseMilliseconds'],
  ],
  'test mails of the operator': ['mailLimits.testsPerMinute'],
  'a request': [
    ...['requestLimits.headerBytes', 'requestLimits.headersMilliseconds', 'requestLimits.wholeMilliseconds'],
    ...['requestLimits.silentMilliseconds', 'requestLimits.keepAliveMilliseconds'],
  ],
  'a body': [
    ...['requestLimits.registrationBytes', 'requestLimits.formBytes', 'requestLimits.consentFormBytes'],
    ...['requestLimits.bodyBytes', 'requestLimits.listBytes'],
  ],
  JSON: [...all('jsonLimits'), 'requestLimits.namedProblems'],
  'one message': all('messageLimits'),
  'messages that wait for their commit': all('ingestLimits'),
  'a mass call': all('massLimits'),
  'a list in one call': [
    ...['listLimits.claims', 'listLimits.changedDevices', 'listLimits.importedPaths', 'listLimits.importedSpaces'],
  ],
  'a list of devices': ['listLimits.sortedDevices', 'listLimits.countedDevices'],
  'a chart of a space': [
    ...['listLimits.chartedDevices', 'listLimits.chartedValues', 'listLimits.chartedIntervals'],
    'listLimits.chartedDataPoints',
  ],
  'a data dictionary': all('dictionaryLimits'),
  commands: [
    ...['commandLimits.waitingPerDevice', 'commandLimits.perDevice', 'commandLimits.parameterBytes'],
    ...['commandLimits.messageBytes', 'commandLimits.resultBytes', 'commandLimits.devicesPerCall'],
    'commandLimits.waitSeconds',
  ],
  'settings of a device': all('settingLimits'),
  'devices that ask for commands': ['pollLimits.callsPerDevice', 'pollLimits.waiting', 'pollLimits.reportBytes'],
  'commands of a fleet': ['pollLimits.fleetCommands', 'pollLimits.waitingPerPartner'],
  'commands of a model': [
    ...['commandLimits.ofModel', 'commandLimits.parametersOfCommand', 'commandLimits.valuesOfParameter'],
  ],
  'parts of a thing': all('partLimits'),
  'access token, id_token': ['lifetimes.accessTokenSeconds', 'lifetimes.idTokenSeconds'],
  'an authorization request, until somebody decides': ['lifetimes.authorizationRequestMilliseconds'],
  'a session': ['lifetimes.idleSessionMilliseconds', 'lifetimes.sessionMilliseconds'],
  "having confirmed one's identity": ['lifetimes.proofMilliseconds'],
  'a right password without the second factor': ['lifetimes.secondFactorMilliseconds'],
  'a page that asks for a passkey': ['lifetimes.passkeyChallengeMilliseconds'],
  'grace for a required second factor': ['lifetimes.secondFactorGraceMilliseconds'],
  'wait before factors are reset': ['lifetimes.factorResetMilliseconds'],
  'an invitation · a link for a new password': [
    ...['lifetimes.invitationMilliseconds', 'lifetimes.passwordResetMilliseconds'],
    'lifetimes.forgottenPasswordMilliseconds',
  ],
  'a code that proves an email': ['lifetimes.emailCodeMilliseconds'],
  'new hardware for a device that exists': ['lifetimes.replaceWindowMilliseconds'],
  'an API key with an expiry': [
    ...['lifetimes.apiKeyMilliseconds', 'lifetimes.apiKeyExpiryAnnouncedMilliseconds'],
    'lifetimes.expiredApiKeyMilliseconds',
  ],
  'the previous secret of an application or webhook, an API key that was rotated': [
    ...['lifetimes.previousSecretSeconds', 'lifetimes.maxPreviousSecretSeconds'],
  ],
  'the verification of a domain whose record is missing · that DNS says nothing about': [
    ...['lifetimes.missingRecordMilliseconds', 'lifetimes.unprovenRecordMilliseconds'],
  ],
  'the response to a call with an `Idempotency-Key`': ['storedFor.idempotentResponseMilliseconds'],
  'the delivery log of a webhook': ['storedFor.webhookDeliveryMilliseconds'],
  'what became of a mail': ['storedFor.mailMilliseconds'],
  'commands to devices': ['storedFor.commandMilliseconds'],
  'the integration log': ['storedFor.integrationFailureMilliseconds', 'storedFor.failuresPerKind'],
  'who reached a limit': ['storedFor.reachedLimitMilliseconds'],
}

/** Compared in the table of quotas and the paragraph above it. */
const ofTenants = ['defaultRates', 'defaultQuotas', 'callsInReserve']

function all(group: string): string[] {
  return Object.keys(groups[group]!).map((name) => `${group}.${name}`)
}

const every = Object.keys(limits).flatMap((group) => (ofTenants.includes(group) ? [] : all(group)))

const units: Record<string, number> = {
  ...{ '': 1, KiB: 1024, MiB: 1024 ** 2, bytes: 1 },
  ...{ s: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 },
}

/** A time in milliseconds, a size in bytes, or a number. Without statuses: `(413)`, `then 429`, `503 with`. */
function numbersIn(text: string): string[] {
  const plain = text.replaceAll(/\(4\d\d\)|then (?:429|503)|[45]\d\d(?= with| `)/g, '')
  return [...plain.matchAll(/(?<![\w`-])(\d[\d,.]*)\b(?: (KiB|MiB|bytes|s|minutes|hours|days)\b)?/g)].map(
    ([, number, unit = '']) =>
      `${Number(number!.replaceAll(',', '')) * units[unit]!}${/^[smhd]/.test(unit) ? ' ms' : ''}`,
  )
}

function valueAt(path: string): string {
  const [group, name] = path.split('.') as [string, string]
  const value = groups[group]![name]!
  if (name.endsWith('Seconds')) return `${value * 1_000} ms`
  return name.endsWith('Milliseconds') ? `${value} ms` : String(value)
}

const sorted = (values: Iterable<string>) => [...new Set(values)].toSorted()

describe('own limits and the tables of docs/operate.md are the same', () => {
  it('every limit is in a row, and every row has its limits', () => {
    assert.deepEqual(sorted(Object.values(expected).flat()), every.toSorted())
    assert.deepEqual([...rows.keys()], Object.keys(expected))
  })

  for (const [what, names] of Object.entries(expected)) {
    it(`${what}: its numbers and no others`, () => {
      assert.deepEqual(sorted(numbersIn(rows.get(what) ?? '')), sorted(names.map(valueAt)))
    })
  }

  it('the quotas and rates of tenants', () => {
    const listed = [...quotas.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, max]) => [name, Number(max)])
    assert.deepEqual(Object.fromEntries(listed), limits.defaultQuotas)
    assert.ok(quotas.includes(`still has ${limits.callsInReserve} calls per minute`))
    const rates = Object.entries(limits.defaultRates).map(([name, rate]) => `${name}=${rate}`)
    assert.ok(manual.includes(`| \`LANDBRIDGE_RATES\` | \`${rates.join()}\` |`))
  })
})
