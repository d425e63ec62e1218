import { randomBytes, timingSafeEqual } from 'node:crypto'

const random = () => randomBytes(32).toString('base64url')
const rememberedEvents = 40

/** A browser that uses this application. It lives on the server: the cookie is only its name. */
export class Session {
  csrf = random()
  /** The organization it is connected to; null before and after. */
  orgId = null
  person = ''
  /** It was connected, and is not any more. */
  hasEnded = false
  /** What the kit did lately, for a page that opens later. */
  recent = []
  #subscribers = new Set()

  connect(orgId, person) {
    this.orgId = orgId
    this.person = person
    this.hasEnded = false
  }

  end() {
    this.orgId = null
    this.hasEnded = true
  }

  tell(event) {
    const dated = { at: new Date().toISOString(), ...event }
    this.recent.push(dated)
    if (this.recent.length > rememberedEvents) this.recent.shift()
    for (const notify of this.#subscribers) notify(dated)
  }

  subscribe(notify) {
    this.#subscribers.add(notify)
    return () => this.#subscribers.delete(notify)
  }

  isOwnForm(form) {
    const [given, own] = [form.get('csrf') ?? '', this.csrf].map((text) => Buffer.from(text))
    return given.length === own.length && timingSafeEqual(given, own)
  }
}

/** In memory, which is enough for an example: yours are in the database that your processes share. */
export class Sessions {
  #sessions = new Map()
  #cookie
  #attributes

  constructor(isSecure) {
    // With its prefix no other host of the same domain can set it.
    this.#cookie = isSecure ? '__Host-session' : 'example_session'
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  }

  create() {
    return this.#add(new Session())
  }

  /** The same session under a new id; the old one is worth nothing any more. */
  renew(session) {
    for (const [id, each] of this.#sessions) if (each === session) this.#sessions.delete(id)
    return this.#add(session)
  }

  of(cookies) {
    const pairs = (cookies ?? '').split(/; */).map((pair) => pair.split('='))
    return this.#sessions.get(pairs.find(([name]) => name === this.#cookie)?.[1] ?? '')
  }

  withCookie(response, session) {
    const id = [...this.#sessions].find(([, each]) => each === session)[0]
    const headers = new Headers(response.headers)
    headers.append('set-cookie', `${this.#cookie}=${id}; ${this.#attributes}`)
    return new Response(response.body, { status: response.status, headers })
  }

  #add(session) {
    this.#sessions.set(random(), session)
    // Anybody may press "Connect" any number of times.
    if (this.#sessions.size > 1_000) this.#sessions.delete(this.#sessions.keys().next().value)
    return session
  }
}
