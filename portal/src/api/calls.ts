import type { Arrived } from './first-reads.ts'
import { ApiError, type Call, download, postForFile, request } from './http.ts'
import { sendOnce } from './once.ts'
import {
  type Address,
  addressOf,
  type BodyOf,
  type ParametersOf,
  queryText,
  type Read,
  type ResponseOf,
  type WithParameters,
  type Write,
} from './operations.ts'
import { sessionEnded } from './session.tsx'

export type Kind = 'organization' | 'partner' | 'operator'

/** One of the three APIs, for one customer, one partner or the operator. */
export interface Api {
  kind: Kind
  name: string
  headers: Record<string, string>
  /** Called when the credential is no longer valid, with whether something was to be changed. */
  onUnauthorized: (wasChange: boolean) => void
}

export function customerApi(id: string): Api {
  const headers = { 'landbridge-customer': id }
  return { kind: 'organization', name: `customer:${id}`, headers, onUnauthorized: sessionEnded }
}

export function partnerApi(id: string): Api {
  const headers = { 'landbridge-partner': id }
  return { kind: 'partner', name: `partner:${id}`, headers, onUnauthorized: sessionEnded }
}

export function operatorApi(key: string, onUnauthorized: () => void): Api {
  return { kind: 'operator', name: 'operator', headers: { authorization: key }, onUnauthorized }
}

/** Arguments of a change: its parameters, its body, and how to send it. */
type Sent<Name extends Write> = ParametersOf<Name> &
  (undefined extends BodyOf<Name> ? { body?: BodyOf<Name> } : { body: BodyOf<Name> }) & {
    /** With it the change is refused if someone else was faster. */
    etag?: string | undefined
    signal?: AbortSignal | undefined
  }
type WithSent<Name extends Write> = object extends Sent<Name> ? [sent?: Sent<Name>] : [sent: Sent<Name>]

export interface Calls {
  read<Name extends Read>(name: Name, ...given: WithParameters<Name, [signal?: AbortSignal]>): Promise<ResponseOf<Name>>
  etagOf<Name extends Read>(name: Name, ...given: WithParameters<Name, [signal?: AbortSignal]>): Promise<string>
  /** A POST is executed once, however often it is clicked or sent again. */
  send<Name extends Write>(name: Name, ...given: WithSent<Name>): Promise<ResponseOf<Name>>
  /** Saves the response as a file, by the name that the service gives it, else by this one. */
  save<Name extends Read>(name: Name, ...given: WithParameters<Name, [fileName?: string]>): Promise<void>
  /** What a POST returns that is no JSON. */
  fileOf<Name extends Write>(name: Name, ...given: WithSent<Name>): Promise<File>
}

export function callsOf({ headers, onUnauthorized }: Api): Calls {
  const requestHere = async <Result>({ path, query, method }: Address, { headers: more, ...options }: Call) => {
    try {
      return await request<Result>(path, { method, query, headers: { ...headers, ...more }, ...options })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onUnauthorized(method !== 'GET')
      if (error instanceof ApiError && error.code === 'proof_needed') confirmIdentity()
      throw error
    }
  }
  const receive = async <Result>(address: Address, options: Call): Promise<Result> => {
    const { body, etag } = await requestHere<Result>(address, options)
    return withVersion(body, etag)
  }
  const post = <Result>(address: Address, body: unknown, signal?: AbortSignal) =>
    sendOnce([headers, address, body], (key) =>
      receive<Result>(address, { body, signal, headers: { 'idempotency-key': key } }),
    )
  return {
    read: (name, ...[parameters, signal]) => receive(addressOf(name, parameters), { signal }),
    etagOf: async (name, ...[parameters, signal]) => (await requestHere(addressOf(name, parameters), { signal })).etag,
    send: (name, ...[sent]) => {
      const { address, body, etag, signal } = partsOf(name, sent)
      return address.method === 'POST'
        ? post(address, body ?? {}, signal)
        : receive(address, { body, signal, ...(etag ? { headers: { 'if-match': etag } } : {}) })
    },
    save: (name, ...[parameters, fileName]) => {
      const { path, query } = addressOf(name, parameters)
      return download(path + queryText(query), headers, fileName)
    },
    fileOf: (name, ...[sent]) => {
      const { address, body } = partsOf(name, sent)
      return postForFile(address.path, headers, body)
    },
  }
}

function partsOf(name: Write, sent: Pick<Call, 'body' | 'signal'> & { etag?: string | undefined } = {}) {
  const { body, etag, signal, ...parameters } = sent
  return { address: addressOf(name, parameters), body, etag, signal }
}

/** The versions of what was received. */
const etags = new WeakMap<object, string>()

function withVersion<Body>(body: Body, etag: string): Body {
  if (typeof body === 'object' && body !== null) etags.set(body, etag)
  return body
}

/** The version of a response. */
export function versionOf(body: object): string | undefined {
  return etags.get(body)
}

export function bodyOf<Result>({ text, etag }: Arrived): Result {
  return withVersion(JSON.parse(text) as Result, etag)
}

/** The service has a page for it, which leads back here; the person then does again what they wanted to do. */
function confirmIdentity(): void {
  const here = `${location.pathname}${location.search}`
  location.assign(`/account/prove?return_to=${encodeURIComponent(here)}`)
}
