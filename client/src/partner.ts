import type { CallOptions } from './api-client.ts'
import type { Backoff } from './backoff.ts'
import type { CommandReport } from './command-types.ts'
import type { FleetCommands, FleetPoll, FleetWay } from './controlled-fleet.ts'
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
export class Partner extends PartnerResources implements FleetWay {
  protected readonly base: string
  protected readonly transport: Transport
  readonly #apiKey: string

  constructor(options: PartnerOptions) {
    super()
    this.base = `${withoutSlash(options.url)}/core/v1/partner/`
    this.#apiKey = options.apiKey
    this.transport = new Transport(options)
  }

  /** What the service's clock shows; null before its first response. */
  serviceTime(): number | null {
    return this.transport.serviceTime()
  }

  get backoff(): Backoff {
    return this.transport.backoff
  }

  get timeoutMs(): number {
    return this.transport.timeoutMs
  }

  /** Commands for any device of the fleet. `after` of the response before says that those arrived. For a `ControlledFleet`. */
  async pollCommands(query: FleetPoll, options: CallOptions = {}): Promise<FleetCommands> {
    return await this.call('GET', ['commands'], options, { query: { ...query } })
  }

  async reportCommand({ id, ...report }: CommandReport, options: CallOptions = {}): Promise<void> {
    await this.call('POST', ['commands', id], options, { body: report })
  }

  protected async send(url: string, request: WireRequest, { signal }: CallOptions): Promise<Reply> {
    const authorized = { ...request, headers: { ...request.headers, authorization: this.#apiKey } }
    return await this.transport.send(url, authorized, { safe: isRepeatable(request), signal })
  }
}
