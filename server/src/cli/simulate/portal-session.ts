type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
// biome-ignore lint/suspicious/noExplicitAny: any response of the service
type Json = any

/** A signed-in person over HTTP: the portal's requests, without its pages. */
export class PortalSession {
  readonly email: string
  readonly cookie: string
  readonly #url: string

  private constructor(url: string, email: string, cookie: string) {
    this.#url = url
    this.email = email
    this.cookie = cookie
  }

  static async signIn(url: string, email: string, password: string): Promise<PortalSession> {
    const response = await fetch(`${url}/sign-in`, {
      method: 'POST',
      headers: { origin: url },
      body: new URLSearchParams({ email, password, return_to: '/' }),
      redirect: 'manual',
    })
    if (response.status !== 303) throw new Error(`${email} cannot sign in: ${url}/sign-in returned ${response.status}`)
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    return new PortalSession(url, email, cookies.join('; '))
  }

  /** Submits a form of a page. */
  async submit(path: string, form: Record<string, string>): Promise<void> {
    const headers = { cookie: this.cookie, origin: this.#url }
    const body = new URLSearchParams(form)
    const response = await fetch(this.#url + path, { method: 'POST', headers, body, redirect: 'manual' })
    if (response.status !== 303) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }

  async call(method: Method, path: string, body?: object, headers: Record<string, string> = {}): Promise<Json> {
    return await callApi(this.#url + path, method, body, { cookie: this.cookie, origin: this.#url, ...headers })
  }
}

export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A request of any of the APIs. */
export async function callApi(
  url: string,
  method: Method,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Json> {
  const response = await fetch(url, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new ApiError(response.status, `${method} ${url} returned ${response.status}: ${text}`)
  return text ? JSON.parse(text) : null
}
