import type { Version } from './bytes.ts'

/** How many normative statements each section has, [MQTT-1.5.3-1] to [MQTT-1.5.3-3] and so on: appendix B of each standard. */
const counts: Record<Version, Record<string, number>> = {
  4: {
    ...{ '1.5.3': 3, '2.2.2': 2, '2.3.1': 7, '3.1.0': 2, '3.1.2': 24, '3.1.3': 11, '3.1.4': 5, '3.2.0': 1, '3.2.2': 6 },
    ...{ '3.3.1': 12, '3.3.2': 3, '3.3.4': 1, '3.3.5': 2, '3.6.1': 1, '3.8.1': 1, '3.8.3': 4, '3.8.4': 6, '3.9.3': 2 },
    ...{ '3.10.1': 1, '3.10.3': 2, '3.10.4': 6, '3.12.4': 1, '3.14.1': 1, '3.14.4': 3, '4.1.0': 2, '4.3.1': 1 },
    ...{ '4.3.2': 2, '4.3.3': 2, '4.4.0': 1, '4.5.0': 2, '4.6.0': 6, '4.7.1': 3, '4.7.2': 1, '4.7.3': 4, '4.8.0': 2 },
    ...{ '6.0.0': 4, '7.0.0': 2, '7.1.1': 2, '7.1.2': 1 },
  },
  5: {
    ...{ '1.5.4': 3, '1.5.5': 1, '1.5.7': 1, '2.1.3': 1, '2.2.1': 6, '2.2.2': 1, '3.1.0': 2, '3.1.2': 30, '3.1.3': 12 },
    ...{
      '3.1.4': 6,
      '3.2.0': 2,
      '3.2.2': 22,
      '3.3.1': 13,
      '3.3.2': 20,
      '3.3.4': 10,
      '3.4.2': 3,
      '3.5.2': 3,
      '3.6.1': 1,
    },
    ...{ '3.6.2': 3, '3.7.2': 3, '3.8.1': 1, '3.8.3': 5, '3.8.4': 8, '3.9.2': 2, '3.9.3': 2, '3.10.1': 1, '3.10.3': 2 },
    ...{ '3.10.4': 6, '3.11.2': 2, '3.11.3': 2, '3.12.4': 1, '3.14.0': 1, '3.14.1': 1, '3.14.2': 4, '3.14.4': 3 },
    ...{
      '3.15.1': 1,
      '3.15.2': 3,
      '4.1.0': 2,
      '4.2.0': 1,
      '4.3.1': 1,
      '4.3.2': 5,
      '4.3.3': 13,
      '4.4.0': 2,
      '4.5.0': 2,
    },
    ...{ '4.6.0': 6, '4.7.0': 1, '4.7.1': 2, '4.7.2': 1, '4.7.3': 4, '4.8.2': 6, '4.9.0': 3, '4.12.0': 7, '4.12.1': 2 },
    ...{ '4.13.1': 1, '4.13.2': 1, '6.0.0': 4 },
  },
}

export function clausesOf(version: Version): string[] {
  const all = Object.entries(counts[version]).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}-${index + 1}`),
  )
  // The standard's numbers of this section begin at 2.
  return all.filter((clause) => version === 4 || clause !== '2.2.1-1')
}

const shownBy =
  (title: string) =>
  (...clauses: string[]): Record<string, [string, string]> =>
    Object.fromEntries(clauses.map((clause) => [clause, ['subscriptions.test.ts', title]]))
const sent = shownBy('a command reaches the device at its SUBSCRIBE, and again at the next one')
const inOrder = shownBy('of commands that are created later, each comes when the one before is reported')
const unsubscribed = shownBy('nothing new comes after an UNSUBSCRIBE')
const withinMaximum = shownBy('no more than the receive maximum is sent before its PUBACK')

/** Clauses that more than one packet shows, and the test that does: file beside the listener, and part of the title. */
export const shownElsewhere: Record<Version, Record<string, [string, string]>> = {
  4: {
    '3.1.2-8': ['presence.test.ts', 'the will is stored as the last message'],
    '3.1.2-10': ['presence.test.ts', 'the will is stored as the last message'],
    '3.1.2-12': ['presence.test.ts', 'without a DISCONNECT sets the device offline at once'],
    '3.1.2-24': ['listener.test.ts', 'nothing for 1.5 times the keep-alive ends the connection'],
    '3.1.3-2': ['presence.test.ts', 'of twenty at once, on two processes, exactly one stays'],
    '3.1.4-2': ['presence.test.ts', 'MQTT 3.1.1 is closed'],
    '3.1.4-3': ['presence.test.ts', 'MQTT 3.1.1 is closed'],
    '3.2.2-6': ['listener.test.ts', 'a client whose first packet is no CONNECT'],
    '4.8.0-2': ['../telemetry/storage-full.test.ts', 'MQTT'],
    ...sent('2.3.1-4', '3.3.1-3', '3.3.1-9', '3.3.2-3'),
    ...inOrder('4.6.0-5', '4.6.0-6'),
    ...unsubscribed('3.10.4-2', '3.10.4-3'),
  },
  5: {
    '3.1.2-7': ['presence.test.ts', 'the will is stored as the last message'],
    '3.1.2-8': ['presence.test.ts', 'the will is stored as the last message'],
    '3.1.2-10': ['presence.test.ts', 'the will is stored as the last message'],
    '3.1.2-22': ['listener.test.ts', 'nothing for 1.5 times the keep-alive ends the connection'],
    '3.1.4-3': ['presence.test.ts', 'MQTT 5 gets 0x8E, and the close of the first changes nothing'],
    '3.1.4-4': ['presence.test.ts', 'MQTT 5 gets 0x8E, and the close of the first changes nothing'],
    '3.2.0-2': ['listener.test.ts', 'a second CONNECT end the connection'],
    '3.2.2-8': ['listener.test.ts', 'decision 7.16: a CONNECT that is refused'],
    '3.3.4-7': ['listener.test.ts', 'while messages wait for their commit nothing more is read'],
    '3.14.0-1': ['listener.test.ts', 'a client whose first packet is no CONNECT'],
    '3.14.4-1': ['listener.test.ts', 'a DISCONNECT carries the reason'],
    '3.14.4-2': ['listener.test.ts', 'a DISCONNECT carries the reason'],
    ...sent('2.2.1-4', '3.3.1-3', '3.3.2-3'),
    ...inOrder('4.6.0-5', '4.6.0-6'),
    ...unsubscribed('3.10.4-2', '3.10.4-3'),
    ...withinMaximum('3.3.4-9', '3.3.4-10', '4.9.0-1', '4.9.0-2', '4.9.0-3'),
    '3.3.2-5': ['subscriptions.test.ts', 'none comes after it has expired'],
  },
}

const ofClient = 'It binds the client.'
const notForwarded = 'Nothing that a client publishes is forwarded to another.'
const oneEach = 'A device has at most one subscription to each of its two topics, and none has wildcards.'
const noAliases = 'This server sends no topic aliases.'
const notShared = 'There are no shared subscriptions: the CONNACK says so.'
const notRetained = 'Nothing is retained: version 5 is told so, and for 3.1.1 the flag has no effect.'
const noQos2 = 'QoS 2 is not supported.'
const noUserProperties = 'This server sends no user properties.'
const noAuthentication = 'There is no authentication method that the server would continue.'
const noWebSocket = 'There is no WebSocket listener.'
const noSession = 'A session ends with its connection and holds nothing: what waits for a device is in the database.'
const ofImplementation = 'It is about implementations as a whole.'
const devicesOnly = 'Client identifiers are device ids: others are refused, as 3.1.3.5 and 3.1.4 allow.'
const reply = 'It is about the form of packets that the rows’ replies show.'

/** Clauses without a row, each with the reason. */
export const notApplicable: Record<Version, [reason: string, ...clauses: string[]][]> = {
  4: [
    [ofClient, '2.2.2-1', '2.3.1-2', '2.3.1-3', '3.1.2-23', '3.1.3-7', '3.14.4-1', '3.14.4-2', '4.5.0-2', '4.6.0-1'],
    [ofClient, '4.3.2-1', '7.1.2-1', '6.0.0-3'],
    [notForwarded, '4.5.0-1'],
    [oneEach, '3.3.5-1', '4.7.2-1'],
    [
      notRetained,
      '3.1.2-7',
      '3.1.2-16',
      '3.1.2-17',
      '3.3.1-6',
      '3.3.1-7',
      '3.3.1-8',
      '3.3.1-10',
      '3.3.1-11',
      '3.3.1-12',
    ],
    [noQos2, '4.3.3-1', '4.3.3-2', '4.6.0-3', '4.6.0-4'],
    [noSession, '3.1.2-5', '3.2.2-2', '4.1.0-1', '4.1.0-2', '4.4.0-1'],
    [devicesOnly, '3.1.3-5', '3.1.3-6'],
    ['A topic cannot be longer: its length has two bytes.', '4.7.3-3'],
    ['The PUBLISH has no identifier by its form: its bytes belong to the payload.', '2.3.1-5'],
    [noWebSocket, '6.0.0-1', '6.0.0-2', '6.0.0-4'],
    [ofImplementation, '7.0.0-1', '7.0.0-2', '7.1.1-1', '7.1.1-2'],
  ],
  5: [
    [ofClient, '3.1.2-20', '3.1.2-21', '3.1.2-30', '3.2.2-4', '3.2.2-5', '3.2.2-21', '3.3.2-10', '3.3.4-8', '4.4.0-2'],
    [ofClient, '4.3.2-1', '4.3.2-2', '4.3.2-3', '4.5.0-2', '4.6.0-1', '4.12.0-3', '4.12.1-1', '6.0.0-3', '3.15.2-1'],
    [notForwarded, '3.1.3-10', '3.3.2-4', '3.3.2-6', '3.3.2-16', '3.3.2-18', '3.3.2-20', '3.8.3-3', '4.5.0-1'],
    [oneEach, '3.3.4-2', '3.3.4-3', '3.3.4-4', '3.3.4-5', '4.7.2-1'],
    [noAliases, '3.1.2-26', '3.1.2-27', '3.3.2-11'],
    [notShared, '4.8.2-3', '4.8.2-4', '4.8.2-5', '4.8.2-6'],
    ['There are no topic aliases: the maximum is 0.', '3.3.2-7', '3.3.2-12'],
    [
      notRetained,
      '3.1.2-14',
      '3.1.2-15',
      '3.3.1-5',
      '3.3.1-6',
      '3.3.1-7',
      '3.3.1-8',
      '3.3.1-9',
      '3.3.1-10',
      '3.3.1-11',
    ],
    [notRetained, '3.3.1-12', '3.3.1-13', '3.8.4-4'],
    [
      noQos2,
      '3.5.2-1',
      '3.5.2-2',
      '3.5.2-3',
      '3.6.2-1',
      '3.6.2-2',
      '3.6.2-3',
      '3.7.2-1',
      '3.7.2-2',
      '3.7.2-3',
      '4.3.3-1',
    ],
    [noQos2, '4.3.3-2', '4.3.3-3', '4.3.3-4', '4.3.3-5', '4.3.3-6', '4.3.3-7', '4.3.3-8', '4.3.3-9', '4.3.3-10'],
    [noQos2, '4.3.3-11', '4.3.3-12', '4.3.3-13', '4.6.0-3', '4.6.0-4'],
    [noUserProperties, '3.2.2-20', '3.4.2-3', '3.9.2-2', '3.11.2-2', '3.14.2-4', '3.15.2-3'],
    ['An UNSUBACK of this server has no reason string.', '3.11.2-1'],
    [noAuthentication, '3.15.2-2', '4.12.0-2', '4.12.0-4', '4.12.0-5', '4.12.1-2'],
    [noSession, '3.1.2-5', '4.1.0-1', '4.1.0-2', '4.4.0-1'],
    [devicesOnly, '3.1.3-5', '3.1.3-6', '3.1.3-7', '3.2.2-16'],
    ['A topic cannot be longer: its length has two bytes.', '4.7.3-3'],
    ['The PUBLISH has no identifier by its form: its bytes belong to what follows.', '2.2.1-2'],
    [reply, '3.2.2-1'],
    [noWebSocket, '6.0.0-1', '6.0.0-2', '6.0.0-4'],
    [ofImplementation, '4.2.0-1'],
  ],
}
