import type { HandedOutCommand, SettingsDocument } from '../../../../client/src/command-types.ts'
import type { DeviceModel } from '../../../../client/src/devices.ts'
import { DeviceRemoved } from '../../../../client/src/errors.ts'
import { MqttConnections } from './mqtt-connections.ts'
import type { Obedience, ReportWay } from './obedience.ts'
import { HttpReceiving } from './receiving.ts'
import type { SimulatedDevice } from './simulated-device.ts'
import type { SimulatedMessage } from './simulated-message.ts'

export const protocols = ['http', 'mass', 'mqtt'] as const
export type Protocol = (typeof protocols)[number]

/** What came of a message: an error says why it was not stored. */
export type Verdict = 'stored' | 'removed' | Error

/** One protocol. The numbers bound its connections and memory: so many calls at once, with so many messages each. */
export interface Sender {
  calls: number
  messagesPerCall: number
  send(messages: SimulatedMessage[]): Promise<Verdict[]>
  /** The device lost its power or network: no goodbye. */
  cut(device: SimulatedMessage['device']): void
  close(): Promise<void>
  /** How reports of commands and settings reach the service. */
  way: ReportWay
  /** Returns what a device is to be given to, so that it receives. */
  receiving(obedience: Obedience, devices: number): { add(device: SimulatedDevice): void }
}

export function createSender(protocol: Protocol, model: DeviceModel, signal: AbortSignal): Sender {
  if (protocol === 'mass') return massSender(model, signal)
  return protocol === 'http' ? httpSender(model, signal) : mqttSender()
}

function httpSender(model: DeviceModel, signal: AbortSignal): Sender {
  return {
    calls: 64,
    messagesPerCall: 1,
    send: async ([message]) => [await verdictOf(model.send(message!.device, message!.telemetry, { signal }))],
    cut() {},
    async close() {},
    ...overHttp(model, signal),
  }
}

/** As a cloud forwards what its devices sent. */
export function massSender(model: DeviceModel, signal: AbortSignal): Sender {
  return {
    calls: 4,
    messagesPerCall: 1_000,
    async send(messages) {
      try {
        const results = await model.sendMany(messages, { signal })
        return results.map(({ status, code, error }) => {
          if (status === 200) return 'stored'
          return status === 410 ? 'removed' : new Error(`${status} ${code}: ${error}`)
        })
      } catch (error) {
        return messages.map(() => error as Error)
      }
    },
    cut() {},
    async close() {},
    ...overHttp(model, signal),
  }
}

function mqttSender(): Sender {
  const connections = new MqttConnections()
  return {
    calls: 128,
    messagesPerCall: 1,
    send: async ([message]) => [await verdictOf(connections.send(message!.device, message!.telemetry))],
    cut: ({ id }) => connections.cut(id),
    close: () => connections.close(),
    way: {
      report: ({ kept }, { id, ...report }) => connections.publish(kept!, `command/${id}`, report),
      reportSettings: ({ kept }, report) => connections.publish(kept!, 'config', report),
    },
    receiving: (obedience) => ({
      add: (device) =>
        connections.receive(device.kept!.id, {
          command: (body, leftMs) => void obedience.command(body as HandedOutCommand, leftMs),
          settings: (body) => void obedience.apply(device, body as SettingsDocument),
        }),
    }),
  }
}

function overHttp(model: DeviceModel, signal: AbortSignal): Pick<Sender, 'way' | 'receiving'> {
  return {
    way: {
      report: ({ kept }, report) => model.report(kept!, report, { signal }),
      reportSettings: ({ kept }, report) => model.reportSettings(kept!, report, { signal }),
    },
    receiving: (obedience, devices) => new HttpReceiving(model, obedience, devices, signal),
  }
}

async function verdictOf(sent: Promise<unknown>): Promise<Verdict> {
  try {
    await sent
    return 'stored'
  } catch (error) {
    return error instanceof DeviceRemoved ? 'removed' : (error as Error)
  }
}
