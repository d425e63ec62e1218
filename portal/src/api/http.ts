import { doubtful, lost, responded } from './connection.ts'
import { forgetFirstReads, takeFirstRead } from './first-reads.ts'
import { addressOf, type ParametersOf, type Query, queryText, type Read, type ResponseOf } from './operations.ts'

interface Detail {
  field: string
  message: string
}

/** An error response of the service; its `message` is written for the user. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[]
  readonly requestId: string | null

  constructor(status: number, body: unknown, requestId: string | null) {
    const { error, code, details } = (body ?? {}) as { error?: string; code?: string; details?: Detail[] }
    super(error ?? `The service responded with status ${status}.`)
    this.status = status
    this.code = code ?? 'unknown'
    this.details = details ?? []
    this.requestId = requestId
  }

  /** The service was away: nobody knows whether a change was executed. */
  get away(): boolean {
    return this.status === 0 || (this.status >= 502 && this.status <= 504)
  }

  /** The same error of a part of a larger form. */
  within(part: string): ApiError {
    const details = this.details.map(({ field, message }) => ({ field: `${part}.${field}`, message }))
    return new ApiError(this.status, { error: this.message, code: this.code, details }, this.requestId)
  }
}

/** Says what became of the form: it is not sent again by itself. */
export function sentenceOf(error: ApiError): string {
  if (error.away) {
    return 'No response: the service cannot be reached. Your entries are still here. Send them again when it is back; nothing is done twice.'
  }
  if (error.status === 401)
    return 'Not sent: you are no longer signed in. Your entries are still here. Sign in, then send them again.'
  return error.message
}

export interface Call {
  method?: string
  query?: Query | undefined
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** A read outside of the three APIs, or with other credentials than theirs. */
export async function read<Name extends Read>(
  name: Name,
  parameters: ParametersOf<Name>,
  options: Omit<Call, 'method' | 'query' | 'body'> = {},
): Promise<ResponseOf<Name>> {
  const { path, query } = addressOf(name, parameters as object)
  return (await request<ResponseOf<Name>>(path, { query, ...options })).body
}

export async function request<Result>(
  path: string,
  { method = 'GET', query, body, headers, signal }: Call = {},
): Promise<{ body: Result; etag: string }> {
  const endDoubt = doubtful()
  const response = await (
    firstRead(method, path + queryText(query), headers) ??
    fetch(path + queryText(query), {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      credentials: 'same-origin',
    })
  )
    .catch((cause) => {
      if (signal?.aborted) throw cause
      throw unreachable()
    })
    .finally(endDoubt)
  responded(response.status)
  const text = await response.text().catch((cause) => {
    if (signal?.aborted) throw cause
    throw unreachable()
  })
  const result = response.headers.get('content-type')?.includes('json') && text ? JSON.parse(text) : undefined
  if (!response.ok) throw new ApiError(response.status, result, response.headers.get('x-request-id'))
  return { body: result as Result, etag: response.headers.get('etag') ?? '' }
}

function firstRead(method: string, address: string, headers?: Record<string, string>): Promise<Response> | undefined {
  if (method === 'GET') return takeFirstRead(address, headers)
  forgetFirstReads()
  return undefined
}

function unreachable(): ApiError {
  lost()
  return new ApiError(0, { error: 'The service cannot be reached.', code: 'unreachable' }, null)
}

/** Saves a response as a file: a plain link could not send the headers. */
export async function download(path: string, headers: Record<string, string>, name = 'export'): Promise<void> {
  const file = await fetchFile(path, { headers }, name)
  saveFile(file, file.name)
}

/** What a POST returns that is no JSON. */
export async function postForFile(path: string, headers: Record<string, string>, body: unknown): Promise<File> {
  const type = { 'content-type': 'application/json' }
  return await fetchFile(
    path,
    { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify(body) },
    'export',
  )
}

async function fetchFile(path: string, options: RequestInit, name: string): Promise<File> {
  const response = await fetch(path, { credentials: 'same-origin', ...options }).catch(() => {
    throw unreachable()
  })
  responded(response.status)
  if (!response.ok) {
    const body = await response.json().catch(() => undefined)
    throw new ApiError(response.status, body, response.headers.get('x-request-id'))
  }
  // RFC 8187, as the service writes it.
  const given = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return new File([await response.blob()], given ? decodeURIComponent(given) : name)
}

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Returns to this page after signing in. */
export function signInAddress(): string {
  return `/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`
}

export function goToSignIn(): void {
  location.assign(signInAddress())
}
