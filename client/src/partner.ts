import type { CallOptions } from './api-client.ts'
import { PartnerResources } from './generated-resources.ts'
import {
  isRepeatable,
  type Reply,
  Transport,
  type TransportOptions,
  type WireRequest,
  withoutSlash,
} from './transport.ts'

export interface PartnerOptions extends TransportOptions {
  /** The service's address. */
  url: string
  /** A key of the partner portal's "API keys" page. */
  apiKey: string
}

/** The partner API: models and their hardware keys, the fleet, webhooks and the integration log. */
export class Partner extends PartnerResources {
  protected readonly base: string
  protected readonly transport: Transport
  readonly #apiKey: string

  constructor(options: PartnerOptions) {
    super()
    this.base = `${withoutSlash(options.url)}/core/v1/partner/`
    this.#apiKey = options.apiKey
    this.transport = new Transport(options)
  }

  protected async send(url: string, request: WireRequest, { signal }: CallOptions): Promise<Reply> {
    const authorized = { ...request, headers: { ...request.headers, authorization: this.#apiKey } }
    return await this.transport.send(url, authorized, { safe: isRepeatable(request), signal })
  }
}
