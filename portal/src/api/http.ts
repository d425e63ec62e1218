export interface Detail {
  field: string
  message: string
}

/** What the service refused, in its own words: `message` is written for the person who reads it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[]
  readonly requestId: string | null

  constructor(status: number, body: unknown, requestId: string | null) {
    const { error, code, details } = (body ?? {}) as { error?: string; code?: string; details?: Detail[] }
    super(error ?? `The service answered ${status}.`)
    this.status = status
    this.code = code ?? 'unknown'
    this.details = details ?? []
    this.requestId = requestId
  }
}

export type Query = Record<string, string | number | boolean | string[] | undefined | null>

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  query?: Query | undefined
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

export interface Answered<Answer> {
  answer: Answer
  /** Of a single thing; empty where there is none. */
  etag: string
}

export async function call<Answer>(path: string, options?: Call): Promise<Answer> {
  return (await ask<Answer>(path, options)).answer
}

export async function ask<Answer>(
  path: string,
  { method = 'GET', query, body, headers, signal }: Call = {},
): Promise<Answered<Answer>> {
  const response = await fetch(path + queryText(query), {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    credentials: 'same-origin',
  }).catch((cause) => {
    if (signal?.aborted) throw cause
    throw new ApiError(
      0,
      { error: 'The service cannot be reached. Check the connection; we try again by ourselves.' },
      null,
    )
  })
  const text = await response.text()
  const answer = response.headers.get('content-type')?.includes('json') && text ? JSON.parse(text) : undefined
  if (!response.ok) throw new ApiError(response.status, answer, response.headers.get('x-request-id'))
  return { answer: answer as Answer, etag: response.headers.get('etag') ?? '' }
}

/** Reads a file with the credentials of a call, which a plain link cannot send, and lets the browser save it. */
export async function download(path: string, headers: Record<string, string>, name: string): Promise<void> {
  const response = await fetch(path, { headers, credentials: 'same-origin' })
  if (!response.ok) {
    const body = await response.json().catch(() => undefined)
    throw new ApiError(response.status, body, response.headers.get('x-request-id'))
  }
  const address = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}

/** The session is gone: sign in, and come back to the very same page. */
export function goToSignIn(): void {
  const here = location.pathname + location.search
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`)
}
