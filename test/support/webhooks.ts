import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after } from 'node:test'
import type { PartnerEvent } from '../../server/src/events/outbox.ts'
import * as webhooks from '../../server/src/events/webhooks/endpoints.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import type { Harness } from './harness.ts'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** A partner's cloud: responds with what a test sets, and records what it received. */
export async function startReceiver() {
  const receiver = {
    url: '',
    got: [] as Received[],
    status: 200,
    headers: {} as Record<string, string>,
    ready: async () => {},
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      receiver.got.push({ headers: request.headers, body })
      void receiver.ready().then(() => response.writeHead(receiver.status, receiver.headers).end('thanks'))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`
  return receiver
}

export const actor = { kind: 'operator' } as const
export const device = { device_id: newId(), model_id: newId(), mac: '00:11:22:33:44:55', sn: 'S1' }

/** Partners with webhooks, and events for them. */
export function webhookTests({ sql, context }: Harness) {
  async function newPartner(): Promise<string> {
    const id = newId()
    await sql`insert into partners (id, name, created_at) values (${id}, 'P', now())`
    return id
  }

  async function addWebhooks(partnerId: string, url: string, count: number, events = ['device.claimed']) {
    for (let n = 0; n < count; n += 1) await webhooks.createWebhook(context, actor, partnerId, { url, events })
  }

  return {
    newPartner,
    addWebhooks,
    async newWebhook(url: string, more: Partial<webhooks.NewWebhook> = {}) {
      const partnerId = await newPartner()
      const asked = { url, events: ['device.claimed'], ...more }
      const webhook = await webhooks.createWebhook(context, actor, partnerId, asked)
      return { partnerId, webhook, id: webhook.id }
    },
    claimed: (partnerId: string): PartnerEvent => ({
      type: 'device.claimed',
      at: context.now(),
      partner_id: partnerId,
      data: device,
    }),
    deliveriesOf: async (partnerId: string, id: string) =>
      (await webhooks.listWebhookDeliveries(context, partnerId, id, {})).items,
  }
}
