import type { Harness } from './harness.ts'

export interface Visit {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: string
  location: string | undefined
}

interface Request {
  method: 'GET' | 'POST'
  url: URL
  address: string
  headers: Record<string, string>
  payload?: string
}

type Send = (request: Request) => Promise<Omit<Visit, 'location'> & { cookies: string[] }>

/** As much of a browser as a form needs: it keeps cookies by host, sends Origin with a POST, and runs no script. */
export class Browser {
  readonly #send: Send
  readonly #jars = new Map<string, Map<string, string>>()
  #origin: URL
  address: string

  /** `network`: over real sockets; otherwise straight into the app, from whatever address. */
  constructor(
    service: Pick<Harness, 'app'> | 'network',
    { host = 'landbridge.test', address = '127.0.0.1' }: { host?: string; address?: string } = {},
  ) {
    this.#send = service === 'network' ? sendOverNetwork : (request) => inject(service, request)
    this.#origin = new URL(`http://${host}`)
    this.address = address
  }

  get host(): string {
    return this.#origin.host
  }

  set host(host: string) {
    this.#origin = new URL(`http://${host}`)
  }

  /** For a call of an API with this browser's session. */
  get headers(): { host: string; origin: string; cookie: string } {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { host: this.host, origin: this.#origin.origin, cookie }
  }

  clearCookies(): void {
    this.#jars.clear()
  }

  get #cookies(): Map<string, string> {
    const jar = this.#jars.get(this.host) ?? new Map<string, string>()
    this.#jars.set(this.host, jar)
    return jar
  }

  async get(url: string): Promise<Visit> {
    return await this.#visit('GET', url)
  }

  async post(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Visit> {
    return await this.#visit('POST', url, new URLSearchParams(form).toString(), headers)
  }

  /** GET, and on through every redirect that stays within the service. */
  async follow(url: string): Promise<Visit> {
    let visit = await this.get(url)
    for (let hops = 0; visit.location && this.#isOwn(visit.location) && hops < 10; hops += 1) {
      visit = await this.get(visit.location)
    }
    return visit
  }

  async signIn(person: { email: string; password: string }, return_to = '/'): Promise<Visit> {
    return await this.post('/sign-in', { email: person.email, password: person.password, return_to })
  }

  #isOwn(location: string): boolean {
    return location.startsWith('/') || /^http:\/\/[^/]+\/(oauth\/authorize|consent|sign-in)/.test(location)
  }

  async #visit(method: 'GET' | 'POST', address: string, payload?: string, more: Record<string, string> = {}) {
    const url = new URL(address, this.#origin)
    this.#origin = new URL(url.origin)
    const { host, origin, cookie } = this.headers
    const { cookies, ...visit } = await this.#send({
      method,
      url,
      address: this.address,
      headers: {
        host,
        cookie,
        ...(payload === undefined ? {} : { origin, 'content-type': 'application/x-www-form-urlencoded' }),
        ...more,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/; *max-age=0(;|$)/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return { ...visit, location: visit.headers.location as string | undefined }
  }
}

async function inject({ app }: Pick<Harness, 'app'>, { method, url, address, headers, payload }: Request) {
  const response = await app.inject({
    method,
    url: url.pathname + url.search,
    remoteAddress: address,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  const cookies = [response.headers['set-cookie'] ?? []].flat()
  return { status: response.statusCode, headers: response.headers, body: response.body, cookies }
}

async function sendOverNetwork({ method, url, headers: { host: _, ...headers }, payload }: Request) {
  const response = await fetch(url, { method, redirect: 'manual', headers, ...(payload ? { body: payload } : {}) })
  const { status } = response
  return {
    status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    cookies: response.headers.getSetCookie(),
  }
}
