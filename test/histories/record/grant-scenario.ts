// An application and a customer: codes, refreshes, replays within and after the grace, revocation, approval, disabling, and
// live streams that end with their token.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorKey } from '../../../bench/environment.ts'
import type { GrantCall } from '../checker/history.ts'
import { portOf } from './devices.ts'
import { type Ask, ask, type Reply } from './http.ts'
import { watchWithToken } from './live.ts'
import type { Random } from './random.ts'
import { now, type Recorder, type Told, toTold } from './recorder.ts'
import { type Customer, newApplication, type World } from './world.ts'

const redirectUri = 'https://app.example.com/callback'
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = createHash('sha256').update(verifier).digest('base64url')
/** The grace, the slack of the clocks, and a second. */
const lateMilliseconds = 66_000
/** The life of an access token, the slack, and a second. */
const expiredMilliseconds = 3_606_000

type Act = GrantCall['kind'] | 'stream'

/** How often each is chosen. Few histories end their grant early, and few disable the application. */
const usual: Record<Act, number> = {
  ...{ authorize: 2, exchange: 4, refresh: 7, use: 5, stream: 0.5 },
  ...{ revoke: 0.5, withdraw: 0.4, narrow: 0.4, disable: 0, enable: 0 },
}

export interface Rest {
  /** A replay after the grace, or the end of an access token. */
  until: 'late' | 'expired'
  wait(milliseconds: number): Promise<void>
}

/** With a rest, the history ends with what happens after it. */
export async function grantScenario(world: World, recorder: Recorder, random: Random, rest?: Rest): Promise<void> {
  const customer = random.pick(world.customers)
  const client = await newApplication(world, random.fork(), redirectUri)
  world.receivers.set(client.client_id, (delivery) => recorder.deliver(delivery))
  const connection = new Connection(world, recorder, client, customer)
  const weights = random.chance(0.15) ? { ...usual, disable: 0.6, enable: 1.2 } : usual

  await connection.act('user', 'authorize', random.fork())
  const actors = Array.from({ length: random.integer(2, 4) }, async (_, n) => {
    const own = random.fork()
    for (let turn = own.integer(3, 7); turn > 0; turn -= 1) {
      await connection.act(`actor ${n}`, own.weighted(weights), own)
      if (own.chance(0.3)) await sleep(own.integer(0, 40))
    }
  })
  await Promise.all(actors)
  if (rest?.until === 'late') await connection.replayLate(random.fork(), rest)
  if (rest?.until === 'expired') await connection.expire(random.fork(), rest)
  for (const token of connection.access) await connection.use('last', token, random)
}

class Connection {
  readonly access: string[] = []
  readonly #codes: string[] = []
  readonly #refresh: string[] = []
  readonly #world: World
  readonly #recorder: Recorder
  readonly #client: { client_id: string; client_secret: string }
  readonly #customer: Customer

  constructor(
    world: World,
    recorder: Recorder,
    client: { client_id: string; client_secret: string },
    customer: Customer,
  ) {
    this.#world = world
    this.#recorder = recorder
    this.#client = client
    this.#customer = customer
  }

  async act(actor: string, act: Act, random: Random): Promise<void> {
    switch (act) {
      case 'authorize':
        return await this.#authorize(actor, random)
      case 'exchange':
        if (this.#codes.length > 0) await this.#exchange(actor, recent(this.#codes, random), random)
        return
      case 'refresh':
        if (this.#refresh.length > 0) await this.#refreshWith(actor, recent(this.#refresh, random), random)
        return
      case 'use':
        if (this.access.length > 0) await this.use(actor, recent(this.access, random), random)
        return
      case 'stream':
        if (this.access.length > 0) this.#stream(actor, recent(this.access, random), random)
        return
      case 'revoke':
        if (this.access.length > 0) await this.#revoke(actor, random)
        return
      default:
        await this.#administer(actor, act, random)
    }
  }

  /** A refresh token that was rotated long ago ends the grant: afterwards no token may be honoured. */
  async replayLate(random: Random, rest: Rest): Promise<void> {
    const [first] = this.#refresh
    if (!first) return
    await this.#refreshWith('late', first, random)
    await rest.wait(lateMilliseconds)
    await this.#refreshWith('late', first, random)
    const last = this.#refresh.at(-1)!
    await this.#refreshWith('late', last, random)
  }

  /** A stream that is open when its token expires ends then. */
  async expire(random: Random, rest: Rest): Promise<void> {
    const last = this.access.at(-1)
    if (!last) return
    // Faults end it now and then; in an hour there are many.
    this.#stream('late', last, random, 10_000)
    await rest.wait(expiredMilliseconds)
  }

  #record<Kind extends GrantCall['kind']>(
    actor: string,
    kind: Kind,
    input: Extract<GrantCall, { kind: Kind }>['input'],
    work: () => Promise<Told<NonNullable<Extract<GrantCall, { kind: Kind }>['ok']>>>,
    invoked?: number,
  ) {
    const key = this.#client.client_id.slice(-8)
    return this.#recorder.call<GrantCall['kind']>(actor, kind, key, input as never, work as never, invoked)
  }

  #ask(random: Random, call: Ask): Promise<Reply | null> {
    return ask(portOf(this.#world, random), call)
  }

  /** The request and the screen change nothing, so only the decision is a call of the history. */
  async #authorize(actor: string, random: Random): Promise<void> {
    const as = random.chance(0.25) ? 'member' : 'administrator'
    const headers = this.#customer.sessions[as]
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: this.#client.client_id, redirect_uri: redirectUri, state: 's' },
      ...{ scope: 'openid profile email', code_challenge: challenge, code_challenge_method: 'S256' },
    })
    const began = now()
    const asked = await this.#ask(random, { path: `/oauth/authorize?${query}` })
    const request = new URL(String(asked?.headers.location ?? 'x:y')).searchParams.get('request')
    if (asked?.status === 400) {
      await this.#record(actor, 'authorize', { as }, async () => ({ refused: 'disabled' }), began)
      return
    }
    // The screen binds the request to the session: without it nothing can be decided.
    const screen = request ? await this.#ask(random, { path: `/consent?request=${request}`, headers }) : null
    if (!request || screen?.status !== 200) return
    await this.#record(actor, 'authorize', { as }, async () => {
      const form = { request, customer_id: this.#customer.id, decision: 'approve' }
      const reply = await this.#ask(random, { method: 'POST', path: '/consent', headers, form })
      const code = new URL(String(reply?.headers.location ?? 'x:y')).searchParams.get('code')
      if (code) {
        const label = this.#recorder.label(code, 'c')
        this.#codes.push(label)
        return { ok: { code: label } }
      }
      return reply && reply.status < 500 ? { refused: `page ${reply.status}` } : null
    })
  }

  async #token(fields: Record<string, string>, random: Random) {
    const form = { ...fields, ...this.#client }
    const reply = await this.#ask(random, { method: 'POST', path: '/oauth/token', form })
    return toTold(reply, 200, ({ body }) => {
      const access = this.#recorder.label(body.access_token, 'a')
      const refresh = this.#recorder.label(body.refresh_token, 'r')
      this.access.push(access)
      this.#refresh.push(refresh)
      return { access, refresh }
    })
  }

  async #exchange(actor: string, code: string, random: Random): Promise<void> {
    const fields = { grant_type: 'authorization_code', code_verifier: verifier, redirect_uri: redirectUri }
    const secret = this.#recorder.secretOf(code)
    await this.#record(actor, 'exchange', { code }, () => this.#token({ ...fields, code: secret }, random))
  }

  async #refreshWith(actor: string, token: string, random: Random): Promise<void> {
    const fields = { grant_type: 'refresh_token', refresh_token: this.#recorder.secretOf(token) }
    await this.#record(actor, 'refresh', { token }, () => this.#token(fields, random))
  }

  async use(actor: string, token: string, random: Random): Promise<void> {
    const path = random.pick(['/oauth/userinfo', '/core/v1/organization/info'])
    const headers = { authorization: `Bearer ${this.#recorder.secretOf(token)}` }
    await this.#record(actor, 'use', { token }, async () =>
      toTold(await this.#ask(random, { path, headers }), 200, () => ({})),
    )
  }

  #stream(actor: string, token: string, random: Random, pauseMilliseconds?: number): void {
    const recordUse = (use: () => Promise<Told<object>>) => this.#record(actor, 'use', { token }, use)
    watchWithToken(this.#world, this.#recorder, random.fork(), token, recordUse, pauseMilliseconds)
  }

  async #revoke(actor: string, random: Random): Promise<void> {
    const token = recent(random.chance(0.5) ? this.access : this.#refresh, random)
    const form = { token: this.#recorder.secretOf(token), ...this.#client }
    await this.#record(actor, 'revoke', { token }, async () =>
      toTold(await this.#ask(random, { method: 'POST', path: '/oauth/revoke', form }), 200, () => ({})),
    )
  }

  async #administer(actor: string, act: 'withdraw' | 'narrow' | 'disable' | 'enable', random: Random): Promise<void> {
    const { client_id } = this.#client
    if (act === 'disable' || act === 'enable') {
      const path = `/core/v1/operator/applications/${client_id}`
      const headers = { authorization: operatorKey }
      const json = { enabled: act === 'enable' }
      await this.#record(actor, act, {}, async () =>
        toTold(await this.#ask(random, { method: 'PATCH', path, headers, json }), 200, () => ({})),
      )
      return
    }
    const path = `/core/v1/organization/connected-apps/${client_id}`
    const headers = { ...this.#customer.sessions.administrator, 'landbridge-customer': this.#customer.id }
    if (act === 'withdraw') {
      await this.#record(actor, act, {}, async () =>
        toTold(await this.#ask(random, { method: 'DELETE', path, headers }), 200, () => ({})),
      )
      return
    }
    const policy = random.pick(['everyone', 'administrators'] as const)
    const revoke_tokens = random.chance(0.3)
    const json = { policy: { kind: policy }, revoke_tokens }
    await this.#record(actor, 'narrow', { policy, revoke_tokens }, async () =>
      toTold(await this.#ask(random, { method: 'PATCH', path, headers, json }), 200, () => ({})),
    )
  }
}

/** Mostly the newest: older ones are replays. */
function recent(labels: string[], random: Random): string {
  return random.chance(0.7) ? labels.at(-1)! : random.pick(labels)
}
