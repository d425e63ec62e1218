// Who calls: partners and customers with one thing of every kind and every kind of credential. What is sent removes and
// revokes, so that each serves a while and is then replaced.
import fc from 'fast-check'
import type { Operation } from '../openapi/document.ts'
import { type FuzzRequest, requestsOf } from '../openapi/requests.ts'
import { createTenant, type Tenant } from '../support/api-world.ts'
import { registerApplication } from '../support/applications.ts'
import { authorizePath, readConsent, walkToConsent } from '../support/consent.ts'
import type { Harness } from '../support/harness.ts'

export interface World {
  tenant: Tenant
  /** Made from the OpenAPI document. */
  nextRequest(): FuzzRequest
  visitor: Visitor
}

/** A browser in front of the consent screen. */
export interface Visitor {
  /** Host, origin and cookies. */
  headers: Record<string, string>
  /** Parameters of an authorization request that is in order, the one that waits for consent, and who may consent. */
  known: [string, string][]
  partner_id: string
  client_id: string
}

/** Requests of all kinds that a world serves. One in which all credentials are revoked would show nothing. */
const lifetime = 2_000
/** Drawn at a time. */
const batch = 50

export class Worlds {
  readonly #service: Harness
  readonly #operations: Operation[]
  readonly #seed: number
  #worlds: { world: World; left: number }[] = []
  #created = 0
  #replacing: Promise<void> | null = null
  #failure: unknown = null

  constructor(service: Harness, operations: Operation[], seed: number) {
    this.#service = service
    this.#operations = operations
    this.#seed = seed
  }

  get created(): number {
    return this.#created
  }

  async open(count: number): Promise<void> {
    // They do not all end at once.
    for (let n = 1; n <= count; n += 1) this.#worlds.push({ world: await this.#create(), left: (lifetime * n) / count })
  }

  /** The next in turn. One that has served its time goes on until its successor is there. */
  take(turn: number): World {
    const slot = this.#worlds[turn % this.#worlds.length]!
    slot.left -= 1
    if (slot.left < 0) this.#replacing ??= this.#replace(slot)
    return slot.world
  }

  /** Throws when one could not be created. */
  requireSuccessors(): void {
    if (this.#failure !== null) throw this.#failure
  }

  async #replace(slot: { world: World; left: number }): Promise<void> {
    try {
      slot.world = await this.#create()
      slot.left = lifetime
    } catch (error) {
      this.#failure = error
    }
    this.#replacing = null
  }

  async #create(): Promise<World> {
    this.#created += 1
    const seed = Math.imul(this.#seed, 0x9e3779b1) ^ Math.imul(this.#created, 0x85ebca6b)
    const tenant = await createTenant(this.#service)
    const requests = requestsOf(this.#operations, tenant, new Date())
    let drawn: FuzzRequest[] = []
    let batches = 0
    const nextRequest = () => {
      if (drawn.length === 0) {
        batches += 1
        drawn = fc.sample(requests, { numRuns: batch, seed: seed + batches })
      }
      return drawn.pop()!
    }
    return { tenant, nextRequest, visitor: await visit(this.#service) }
  }
}

async function visit(service: Harness): Promise<Visitor> {
  const application = await registerApplication(service)
  const { browser, page } = await walkToConsent(service, application)
  const { request } = readConsent(page)
  const right = new URL(authorizePath(application), 'http://x').searchParams
  return {
    headers: browser.headers,
    known: [...right, ['request', request], ['customer_id', application.customer_id]],
    partner_id: application.partner_id,
    client_id: application.client_id,
  }
}
