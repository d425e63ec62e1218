// The service as partners meet it: its own process, real sockets, a real clock, an application they registered.
import { after } from 'node:test'
import { password } from '../support/applications.ts'
import { operatorAt, type Reply } from '../support/calls.ts'
import { walkOverNetwork } from '../support/consent.ts'
import { createDatabase } from '../support/database.ts'
import { onDatabase, startService } from '../support/service.ts'

export interface Partner {
  issuer: string
  operator(method: string, path: string, body?: object): Promise<Reply>
  /** An application, and a person who administers a customer. */
  register(options: { redirect_uri: string; id_token_alg?: 'RS256' | 'ES256' }): Promise<Registered>
}

export interface Registered {
  client_id: string
  client_secret: string
  customer_id: string
  email: string
  /** Signs in and consents wherever the application sends its user. */
  walk(start: string | URL, options?: Parameters<typeof walkOverNetwork>[2]): ReturnType<typeof walkOverNetwork>
}

export async function startForPartners(env: Record<string, string> = {}): Promise<Partner> {
  const service = await startService({ env: { ...onDatabase(await createDatabase()), ...env } })
  after(() => service.stop())
  const issuer = service.ready.public_url

  const operator: Partner['operator'] = (method, path, body) => operatorAt(issuer, method, path, body)

  let registered = 0
  return {
    issuer,
    operator,
    async register({ redirect_uri, id_token_alg = 'RS256' }) {
      registered += 1
      const email = `ada-${registered}@example.com`
      const partner = await operator('POST', '/partners', {
        name: 'Acme',
        portal_domain: new URL(issuer).host,
        admin: { name: 'Ada Lovelace', email, password },
      })
      const application = await operator('POST', `/partners/${partner.body.id}/applications`, {
        name: 'Dashboard',
        redirect_uris: [redirect_uri],
        id_token_alg,
      })
      const { client_id, client_secret } = application.body
      const customer_id = partner.body.lab.customer_id
      const walk: Registered['walk'] = (start, options) => walkOverNetwork(start, { email, password }, options)
      return { client_id, client_secret, customer_id, email, walk }
    },
  }
}
