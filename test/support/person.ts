/**
 * A person at a browser without JavaScript, over the wire: keeps cookies by host, follows redirects, signs in and
 * approves when the service asks, and ends where the application's callback leaves them.
 */
export class Person {
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #email: string
  readonly #password: string
  /** Every address visited, in order. */
  readonly visited: string[] = []

  constructor({ email, password }: { email: string; password: string }) {
    this.#email = email
    this.#password = password
  }

  /** Stops in front of any address that starts with `until`, as a client library that reads the callback itself wants. */
  async go(
    start: string | URL,
    { until = '', decision = 'approve' } = {},
  ): Promise<{ url: URL; response: Response | null }> {
    let url = new URL(start)
    let form: URLSearchParams | null = null
    for (let step = 0; step < 20; step += 1) {
      if (until && url.href.startsWith(until)) return { url, response: null }
      const response = await this.#visit(url, form)
      const location = response.headers.get('location')
      if (location) {
        url = new URL(location, url)
        form = null
        continue
      }
      const page = await response.clone().text()
      const next = this.#answer(page, decision)
      if (!next) return { url, response }
      url = new URL(next.action, url)
      form = next.form
    }
    throw new Error(`going in circles: ${this.visited.join('\n')}`)
  }

  #answer(page: string, decision: string): { action: string; form: URLSearchParams } | null {
    const field = (name: string) =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1]?.replaceAll('&#38;', '&')
    if (page.includes('action="/sign-in"')) {
      const form = { email: this.#email, password: this.#password, return_to: field('return_to') ?? '/' }
      return { action: '/sign-in', form: new URLSearchParams(form) }
    }
    const request = field('request')
    const customer = /<input type="radio" name="customer_id" value="([^"]+)"/.exec(page)?.[1]
    if (!request || !customer) return null
    return { action: '/consent', form: new URLSearchParams({ request, customer_id: customer, decision }) }
  }

  async #visit(url: URL, form: URLSearchParams | null): Promise<Response> {
    this.visited.push(`${form ? 'POST' : 'GET'} ${url.href}`)
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>()
    this.#cookies.set(url.host, jar)
    const headers: Record<string, string> = { cookie: [...jar].map((pair) => pair.join('=')).join('; ') }
    if (form) headers.origin = url.origin
    const response = await fetch(url, { redirect: 'manual', headers, ...(form ? { method: 'POST', body: form } : {}) })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const mark = pair.indexOf('=')
      jar.set(pair.slice(0, mark), pair.slice(mark + 1))
    }
    return response
  }
}
