// Calls over the wire, each from another address by default, because the limits are on.
import { nextAddress } from './applications.ts'
import { operatorKey } from './keys.ts'
import type { Chain } from './seeded-grants.ts'

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service returned
  body: any
}

export async function post(url: string, fields: Record<string, string>, from = nextAddress()): Promise<Reply> {
  return await read(
    fetch(url, { method: 'POST', headers: { 'x-forwarded-for': from }, body: new URLSearchParams(fields) }),
  )
}

export async function refreshAt(base: string, { client_id, client_secret, refresh_token }: Chain): Promise<Reply> {
  const fields = { grant_type: 'refresh_token', refresh_token, client_id, client_secret }
  return await post(`${base}/oauth/token`, fields)
}

export async function revokeAt(base: string, { client_id, client_secret }: Chain, token: string): Promise<Reply> {
  return await post(`${base}/oauth/revoke`, { token, client_id, client_secret })
}

export async function userinfoAt(base: string, accessToken: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${accessToken}`, 'x-forwarded-for': nextAddress() }
  return await read(fetch(`${base}/oauth/userinfo`, { headers }))
}

export async function operatorAt(base: string, method: string, path: string, body?: object): Promise<Reply> {
  const headers = { authorization: operatorKey, ...(body ? { 'content-type': 'application/json' } : {}) }
  const payload = body ? { body: JSON.stringify(body) } : {}
  return await read(fetch(`${base}/core/v1/operator${path}`, { method, headers, ...payload }))
}

async function read(pending: Promise<Response>): Promise<Reply> {
  const response = await pending
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}
