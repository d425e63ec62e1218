import { type Backoff, delayOf, sleep } from './backoff.ts'
import type { HandedOutCommand, SettingsDocument } from './command-types.ts'
import { LandbridgeError } from './errors.ts'
import type { Inbox } from './ways.ts'

interface PublishPacket {
  properties?: { messageExpiryInterval?: number }
}

type MessageListener = (topic: string, payload: Uint8Array, packet: PublishPacket) => void

/** What is used of the package `mqtt` to receive. */
export interface SubscribingClient {
  subscribe(
    topics: string[],
    options: { qos: 1 },
    done: (error: Error | null, granted?: { topic: string; qos: number }[]) => void,
  ): unknown
  unsubscribe(topics: string[], done?: () => void): unknown
  on(event: 'message', listener: MessageListener): unknown
  removeListener(event: 'message', listener: MessageListener): unknown
}

/** What a device has subscribed to on one connection. */
export interface Listening {
  subscribed: Promise<void>
  /** Rejects if a further subscription is refused. */
  failed: Promise<never>
  /** Asks for the settings again. Null if none come. */
  readSettings(): Promise<SettingsDocument | null>
  end(): void
}

/** Where no settings are wanted, none are sent: how long to wait to know it. */
const settingsMs = 3_000

export function listen(
  client: SubscribingClient,
  deviceId: string,
  inbox: Inbox,
  { backoff, signal }: { backoff: Backoff; signal: AbortSignal },
): Listening {
  const [command, config] = [`v1/devices/${deviceId}/command`, `v1/devices/${deviceId}/config`]
  const { commands, settings } = inbox.wants
  const topics = [...(commands ? [command] : []), ...(settings ? [config] : [])]
  const waiting = new Set<(document: SettingsDocument) => void>()
  const ending = new AbortController()
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  let failures = 0

  /** Asked for again after a while, since a queue with a command that is not over brings no other. */
  async function take(text: string, { properties }: PublishPacket): Promise<void> {
    const left = properties?.messageExpiryInterval
    const isOver = await inbox.command(JSON.parse(text) as HandedOutCommand, left === undefined ? null : left * 1_000)
    if (isOver) failures = 0
    if (isOver || signal.aborted || ending.signal.aborted) return
    await sleep(delayOf(backoff, failures++), ending.signal)
    await subscribe(client, [command])
  }

  const onMessage: MessageListener = (topic, payload, packet) => {
    const text = new TextDecoder().decode(payload)
    if (topic === command) take(text, packet).catch((error: unknown) => ending.signal.aborted || fail(error))
    if (topic !== config) return
    const document = JSON.parse(text) as SettingsDocument
    inbox.settings(document)
    for (const resolve of waiting) resolve(document)
  }

  client.on('message', onMessage)
  return {
    subscribed: subscribe(client, topics),
    failed,
    async readSettings() {
      const received = new Promise<SettingsDocument>((resolve) => waiting.add(resolve))
      const given = received.finally(() => waiting.clear())
      await subscribe(client, [config])
      return await Promise.race([given, sleep(settingsMs, ending.signal).then(() => null)])
    },
    end() {
      ending.abort()
      client.removeListener('message', onMessage)
      // The connection may stay, for messages: what nobody would execute is not to be sent to it.
      client.unsubscribe(topics, () => {})
    },
  }
}

async function subscribe(client: SubscribingClient, topics: string[]): Promise<void> {
  if (topics.length === 0) return
  await new Promise<void>((resolve, reject) => {
    client.subscribe(topics, { qos: 1 }, (error, granted = []) => {
      const refused = granted.find(({ qos }) => qos >= 0x80)
      if (!error && !refused) return resolve()
      const why = refused ? ` (0x${refused.qos.toString(16)})` : `: ${error?.message}`
      const message = `The service refuses a subscription to ${topics.join(' and ')}${why}. Is it older than this kit?`
      reject(new LandbridgeError('subscription_refused', message, { cause: error }))
    })
  })
}
