// Compiled by the oldest and the newest TypeScript: what a partner writes, and what must not compile.
import {
  Application,
  type Device,
  DeviceModel,
  memoryTokenStore,
  Partner,
  TelemetryOutbox,
  type Tokens,
  type WebhookEvent,
} from '@landbridge/client'
import { fileQueue, fileTokenStore } from '@landbridge/client/file'
import { MqttSender } from '@landbridge/client/mqtt'
import { expressHandler } from '@landbridge/client/node'
import { postgresTokenStore } from '@landbridge/client/postgres'
import { redisTokenStore } from '@landbridge/client/redis'
import { sqliteQueue } from '@landbridge/client/sqlite'

export async function use(): Promise<void> {
  const store = fileTokenStore({ folder: '/tmp/tokens', key: '…' })
  const application = new Application({ url: 'u', clientId: 'c', clientSecret: 's', redirectUri: 'r', store })
  const { pending } = await application.begin()
  const { claims } = await application.finish('/callback', pending)
  const email: string | undefined = claims?.email
  const model = new DeviceModel({ entryUrl: 'e', modelId: 'm', hardwareKey: 'h' })
  const outbox = new TelemetryOutbox(model, { queue: await fileQueue('/tmp/queue'), whenFull: 'wait' })
  // @ts-expect-error a status that does not exist
  await outbox.add({ id: 'i', access_key: 'k', hub_url: 'h' }, { status: 'on', telemetries: {} })
  // @ts-expect-error the redirect URI is missing
  new Application({ url: 'u', clientId: 'c', clientSecret: 's', store: memoryTokenStore() })
  const organization = application.organization('o')
  for await (const { email } of organization.users.list({ limit: 10 })) console.log(email)
  const device: Device = await organization.devices.get('d')
  await organization.devices.update(device.id, { name: 'Lobby' }, { ifMatch: device })
  // @ts-expect-error a resource that does not exist
  organization.usres
  const partner = new Partner({ url: 'u', apiKey: 'k' })
  // @ts-expect-error an event that does not exist
  await partner.webhooks.create({ url: 'u', events: ['device.claimd'] })
  const deviceOf = (event: WebhookEvent) => (event.type === 'device.claimed' ? event.data.device_id : undefined)
  console.log(deviceOf)
  const tokens: Tokens | undefined = await store.read('org')
  console.log(email, tokens?.access_token, expressHandler, postgresTokenStore, redisTokenStore, sqliteQueue, MqttSender)
}
