import type { DeviceCredentials, DeviceModel, Message } from '../../../../client/src/devices.ts'
import { DeviceRemoved } from '../../../../client/src/errors.ts'
import type { RegisteredDevice } from '../../../../client/src/generated-types.ts'
import { MqttConnections } from './mqtt-connections.ts'

export const protocols = ['http', 'mass', 'mqtt'] as const
export type Protocol = (typeof protocols)[number]

/** What came of a message: an error says why it was not stored. */
export type Verdict = 'stored' | 'removed' | Error

export interface SimulatedMessage extends Message {
  device: DeviceCredentials & Pick<RegisteredDevice, 'mqtt_hub_url'>
}

/** One protocol. The numbers bound its connections and memory: so many calls at once, with so many messages each. */
export interface Sender {
  calls: number
  messagesPerCall: number
  send(messages: SimulatedMessage[]): Promise<Verdict[]>
  /** The device lost its power or network: no goodbye. */
  cut(device: SimulatedMessage['device']): void
  close(): Promise<void>
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
