import type { Harness } from './harness.ts'

export interface Visit {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: string
  location: string | undefined
}

/** As much of a browser as a form needs: it keeps cookies, sends Origin with a POST, and runs no script. */
export class Browser {
  readonly #service: Pick<Harness, 'app'>
  /** By host, as a browser keeps them. */
  readonly #jars = new Map<string, Map<string, string>>()
  host: string
  address: string

  constructor(service: Pick<Harness, 'app'>, { host = 'landbridge.test', address = '127.0.0.1' } = {}) {
    this.#service = service
    this.host = host
    this.address = address
  }

  /** What to send along with a call of an API by hand. */
  get headers(): { host: string; origin: string; cookie: string } {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { host: this.host, origin: `http://${this.host}`, cookie }
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

  async #visit(method: 'GET' | 'POST', url: string, payload?: string, more: Record<string, string> = {}) {
    const target = new URL(url, `http://${this.host}`)
    this.host = target.host
    const form = payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const { host, origin, cookie } = this.headers
    const response = await this.#service.app.inject({
      method,
      url: target.pathname + target.search,
      remoteAddress: this.address,
      headers: { host, cookie, ...(method === 'POST' ? { origin } : {}), ...form, ...more },
      ...(payload === undefined ? {} : { payload }),
    })
    for (const cookie of response.cookies) {
      if (cookie.maxAge === 0) this.#cookies.delete(cookie.name)
      else this.#cookies.set(cookie.name, cookie.value)
    }
    const { statusCode: status, headers, body } = response
    return { status, headers, body, location: headers.location }
  }
}
